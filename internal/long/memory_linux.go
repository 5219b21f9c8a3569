package long

import "syscall"

// noexec is the flag of a file system on which no program can be started.
const noexec = 0x8

// hasRoom reports whether dir, a file system in memory, has room for the files of tests, which must
// be able to write there and to start programs there.
func hasRoom(dir string) bool {
	var fs syscall.Statfs_t
	const write = 0x2
	return syscall.Access(dir, write) == nil && syscall.Statfs(dir, &fs) == nil &&
		fs.Flags&noexec == 0 && fs.Bavail*uint64(fs.Bsize) >= minFree
}
