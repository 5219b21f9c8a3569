package recorded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ocobench/convex"
	"ocobench/internal/input"
)

// This file plays recorded rounds one after another. The functions of a small text are in memory. A
// large file is read again by every player, which then needs memory for the current line only.

// minRereadSize is the size in bytes from which on a text is read again, and not kept in memory.
const minRereadSize = 8 << 20

// openForRereading opens the file for players. It returns nil for a pipe, which can be read only
// once.
func openForRereading(name string) (*rereadFile, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	file, err := os.Open(name)
	if err == nil {
		info, err = file.Stat()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w (%s)", input.Shown(name), err, Expected)
	}
	return &rereadFile{file, info.Size(), info.ModTime()}, nil
}

// rereadFile is an open file with its size and time when it was read first. Package os closes it
// when nothing refers to it any more.
type rereadFile struct {
	*os.File
	size     int64
	modified time.Time
}

// checkUnchanged returns an error if the file was changed since it was opened.
func (d *rereadFile) checkUnchanged() error {
	if info, err := d.Stat(); err != nil {
		return err
	} else if info.Size() != d.size || !info.ModTime().Equal(d.modified) {
		return errors.New("recorded: the file was changed since it was read first")
	}
	return nil
}

// Player reads the rounds of a recording, one after another.
type Player struct {
	recording   *Recording
	reader      roundReader   // its t is the last round that was played
	constraints []convex.Func // of the last round, of a file that is read again
}

// Play returns a player that begins with round after+1. In a file that is read again it has to skip
// the rounds before, which takes some seconds for a GiB, and more if it is gzipped.
func (r *Recording) Play(after int) (*Player, error) {
	p := &Player{recording: r, constraints: make([]convex.Func, r.Constraints)}
	if r.file == nil {
		p.reader.t = after
		return p, nil
	}
	p.reader = roundReader{Reader: r.decoder, domain: r.Domain, m: r.Constraints}
	if err := p.reader.open(io.NewSectionReader(r.file, 0, r.file.size)); err != nil {
		return nil, err
	}
	for line := 0; line <= after; line++ { // the first line, and the rounds before
		if err := p.nextRoundLine(); err != nil {
			return nil, err
		}
	}
	p.reader.t = after
	return p, nil
}

// nextRoundLine moves to the next line that is not empty. Every 1024 lines it checks that the file
// has not changed.
func (p *Player) nextRoundLine() error {
	if p.reader.line%1024 == 0 {
		if err := p.recording.file.checkUnchanged(); err != nil {
			return err
		}
	}
	for {
		more, err := p.reader.nextLine()
		switch {
		case err != nil:
			return err
		case len(p.reader.Text) > 0:
			return nil
		case !more:
			return fmt.Errorf("recorded: there is no round %d", p.reader.t+1)
		}
	}
}

// Next returns the next round, which is valid until the next call. It returns an error if there is
// no further round, or if the file cannot be read any more.
func (p *Player) Next() (convex.Round, error) {
	r, reader := p.recording, &p.reader
	if r.file == nil {
		if reader.t >= r.Facts.Rounds {
			return convex.Round{}, fmt.Errorf("recorded: there is no round %d", reader.t+1)
		}
		funcs := r.funcs[reader.t*(1+r.Constraints) : (reader.t+1)*(1+r.Constraints)]
		reader.t++
		return convex.Round{Loss: funcs[0], Constraints: funcs[1:]}, nil
	}
	if err := p.nextRoundLine(); err != nil {
		return convex.Round{}, err
	}
	if reader.readRound(); reader.Err != nil {
		return convex.Round{}, reader.Err
	}
	for j := range p.constraints {
		p.constraints[j] = reader.funcs[1+j].Func()
	}
	return convex.Round{Loss: reader.funcs[0].Func(), Constraints: p.constraints}, nil
}
