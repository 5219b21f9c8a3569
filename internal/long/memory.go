package long

import "os"

// memory is the directory of a file system in memory, if this system has one.
const memory = "/dev/shm"

// room is how many bytes have to be free there: tests of all packages need a tenth of it.
const room = 4 << 30

// InMemory puts the temporary files of the tests of a package into memory, and those of the
// programs that they start, where there is room and the environment has no TMPDIR. A store syncs
// each of its files: on a disk a test of stores waits for that most of the time, and a third of
// its processor time goes there.
func InMemory() {
	if os.Getenv("TMPDIR") == "" && roomy(memory) {
		os.Setenv("TMPDIR", memory)
	}
}
