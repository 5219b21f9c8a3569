package long

import "os"

// memoryDir is the directory of a file system in memory, on systems that have one.
const memoryDir = "/dev/shm"

// minFree is how many bytes must be free in that file system. The tests of all packages together
// need a tenth of it.
const minFree = 4 << 30

// InMemory moves the temporary files of a package's tests, and of the programs that these start, to
// a file system in memory, if it has room and the environment sets no TMPDIR. A store syncs each of
// its files: on a disk, a test of stores spends most of its time waiting for that.
func InMemory() {
	if os.Getenv("TMPDIR") == "" && hasRoom(memoryDir) {
		os.Setenv("TMPDIR", memoryDir)
	}
}
