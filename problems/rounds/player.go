package rounds

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"ocobench/convex"
	"ocobench/internal/input"
)

// This file reveals rounds one after another: those that are in memory, or those of a large file,
// which is read again. Then they take no memory but that of the current line, and of what its
// reader keeps.

// large is the least size of a file whose functions are not kept in memory, in bytes.
const large = 8 << 20

// openLarge opens a file whose text is to be read again, and returns nil for all others.
func openLarge(name string) (*onDisk, error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() < large {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (%s)", input.Shown(name), err, Expected)
	}
	if info, err = file.Stat(); err != nil {
		return nil, fmt.Errorf("%s: %w (%s)", input.Shown(name), err, Expected)
	}
	return &onDisk{file, info.Size(), info.ModTime()}, nil
}

// onDisk is a text in a file, which is closed when nobody needs it any more.
type onDisk struct {
	*os.File
	size     int64
	modified time.Time
}

// section returns the text from a place on, or an error if it was changed since it was read.
func (d *onDisk) section(at int64) (io.Reader, error) {
	if info, err := d.Stat(); err != nil {
		return nil, err
	} else if info.Size() != d.size || !info.ModTime().Equal(d.modified) {
		return nil, errors.New("the file was changed since it was read first")
	}
	return io.NewSectionReader(d.File, at, d.size-at), nil
}

// Player reads the rounds of a recording, one after another.
type Player struct {
	recording *Recording
	t         int // the last round, where the functions are kept
	reader    roundReader
	in        *bufio.Reader
	zeros     []float64
	list      []convex.Func
}

// Play returns a player of the rounds after the first ones.
func (r *Recording) Play(after int) (*Player, error) {
	if r.text == nil {
		return &Player{recording: r, t: after}, nil
	}
	p := &Player{recording: r, zeros: make([]float64, r.Domain.Dim()),
		list: make([]convex.Func, r.Constraints)}
	p.reader.Trusted = true
	if err := p.seek(place{0, 0, 0}); err != nil { // the first line
		return nil, err
	}
	if err := p.line(); err != nil {
		return nil, err
	}
	// Functions that are defined on the way.
	for _, d := range r.defines {
		if d.t <= after {
			if err := p.round(d); err != nil {
				return nil, err
			}
		}
	}
	if err := p.seek(r.marks[min(after/markEvery, len(r.marks)-1)]); err != nil {
		return nil, err
	}
	for p.reader.t < after {
		if err := p.skip(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// seek makes the line at a place the next one.
func (p *Player) seek(to place) error {
	section, err := p.recording.text.section(to.at)
	if err != nil {
		return fmt.Errorf("rounds: %w", err)
	}
	if p.in == nil {
		p.in = bufio.NewReaderSize(nil, 1<<16)
	}
	p.in.Reset(section)
	p.reader.line, p.reader.t = max(to.line-1, 0), max(to.t-1, 0)
	return nil
}

// round reads the round at a place.
func (p *Player) round(at place) error {
	if err := p.seek(at); err != nil {
		return err
	}
	return p.line()
}

// line reads the next line that is not empty.
func (p *Player) line() error {
	if err := p.text(); err != nil {
		return err
	}
	if p.reader.domain == nil {
		p.reader.header()
	} else {
		p.reader.round()
	}
	return p.reader.Err
}

// text moves to the next line that is not empty.
func (p *Player) text() error {
	for {
		more, err := p.reader.next(p.in)
		switch {
		case err != nil:
			return err
		case len(p.reader.Text) > 0:
			return nil
		case !more:
			return fmt.Errorf("rounds: there is no round %d", p.reader.t+1)
		}
	}
}

// skip leaves out a round.
func (p *Player) skip() error {
	p.reader.t++
	return p.text()
}

// Next reads the next round. It is valid until the next call. It is an error if there is none, or
// if the text cannot be read any more.
func (p *Player) Next() (convex.Round, error) {
	if r := p.recording; r.text == nil {
		if p.t >= r.Facts.Rounds {
			return convex.Round{}, fmt.Errorf("rounds: there is no round %d", p.t+1)
		}
		funcs := r.funcs[p.t*(1+r.Constraints) : (p.t+1)*(1+r.Constraints)]
		p.t++
		return convex.Round{Loss: funcs[0], Constraints: funcs[1:]}, nil
	}
	if t := p.reader.t; t > 0 && t%(16*markEvery) == 0 { // whether the file is still the same
		if _, err := p.recording.text.section(0); err != nil {
			return convex.Round{}, fmt.Errorf("rounds: %w", err)
		}
	}
	if err := p.line(); err != nil {
		return convex.Round{}, err
	}
	for j := range p.list {
		p.list[j] = p.recording.families[j].function(&p.reader.g[j], p.zeros)
	}
	return convex.Round{Loss: p.reader.loss.Func(p.zeros), Constraints: p.list}, nil
}
