package long

import "os"

// memory is the directory of a file system in memory, if this system has one.
const memory = "/dev/shm"

// room is how many bytes must be free in that file system: the tests of all packages together need
// a tenth of it.
const room = 4 << 30

// InMemory moves the temporary files of a package's tests, and of the programs that these start, to
// a file system in memory, if it has room and the environment sets no TMPDIR. A store syncs each of
// its files: on a disk, a test of stores spends most of its time waiting for that.
func InMemory() {
	if os.Getenv("TMPDIR") == "" && roomy(memory) {
		os.Setenv("TMPDIR", memory)
	}
}
