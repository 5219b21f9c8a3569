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

// This file reveals rounds one after another: those that are in memory, or those of a large file,
// which is read again. Then they take no memory but that of the current line.

// large is the least size of a text whose functions are not kept in memory, in bytes.
const large = 8 << 20

// openAgain opens a file whose text may be read again, and returns nil for a pipe.
func openAgain(name string) (*onDisk, error) {
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
	return &onDisk{file, info.Size(), info.ModTime()}, nil
}

// onDisk is a file, which is closed when nobody needs it any more.
type onDisk struct {
	*os.File
	size     int64
	modified time.Time
}

// check returns an error if the file was changed since it was opened.
func (d *onDisk) check() error {
	if info, err := d.Stat(); err != nil {
		return err
	} else if info.Size() != d.size || !info.ModTime().Equal(d.modified) {
		return errors.New("recorded: the file was changed since it was read first")
	}
	return nil
}

// Player reads the rounds of a recording, one after another.
type Player struct {
	recording *Recording
	reader    roundReader // its t is the last round
	list      []convex.Func
}

// Play returns a player of the rounds after the first ones. Those of a large file are passed over,
// which takes some seconds for a GiB, and more if it is gzipped.
func (r *Recording) Play(after int) (*Player, error) {
	p := &Player{recording: r, list: make([]convex.Func, r.Constraints)}
	if r.text == nil {
		p.reader.t = after
		return p, nil
	}
	p.reader = roundReader{Reader: r.again, domain: r.Domain, m: r.Constraints}
	if err := p.reader.begin(io.NewSectionReader(r.text, 0, r.text.size)); err != nil {
		return nil, err
	}
	for line := 0; line <= after; line++ { // the first line, and the rounds before
		if err := p.line(); err != nil {
			return nil, err
		}
	}
	p.reader.t = after
	return p, nil
}

// line moves to the next line that is not empty.
func (p *Player) line() error {
	if p.reader.line%1024 == 0 {
		if err := p.recording.text.check(); err != nil {
			return err
		}
	}
	for {
		more, err := p.reader.next()
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

// Next reads the next round. It is valid until the next call. It is an error if there is none, or
// if the text cannot be read any more.
func (p *Player) Next() (convex.Round, error) {
	r, of := p.recording, &p.reader
	if r.text == nil {
		if of.t >= r.Facts.Rounds {
			return convex.Round{}, fmt.Errorf("recorded: there is no round %d", of.t+1)
		}
		funcs := r.funcs[of.t*(1+r.Constraints) : (of.t+1)*(1+r.Constraints)]
		of.t++
		return convex.Round{Loss: funcs[0], Constraints: funcs[1:]}, nil
	}
	if err := p.line(); err != nil {
		return convex.Round{}, err
	}
	if of.round(); of.Err != nil {
		return convex.Round{}, of.Err
	}
	for j := range p.list {
		p.list[j] = of.funcs[1+j].Func()
	}
	return convex.Round{Loss: of.funcs[0].Func(), Constraints: p.list}, nil
}
