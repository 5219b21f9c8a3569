package external

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/exp/jsonrpc2"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/wire"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

// This file has the protocol with the roles exchanged: learners in other programs call methods,
// and the server plays the rounds of a problem of the catalog with them
// (docs/environment.md). A message is read, its method handled and the answer written
// before the next one is read. Games are numbered, and several can be open at once.

// Serve answers the messages of a program until its input ends. When the context ends,
// Serve finishes the answer in progress, and returns the context's error. A panic in a game
// is an error of the method; crashed is called with it.
func Serve(
	ctx context.Context, catalog experiment.Catalog, in io.Reader, out io.Writer, crashed func(error),
) error {
	s := &server{catalog: catalog, out: out, crashed: crashed, games: make(map[int]*servedGame)}
	ended := make(chan error, 1)
	go func() { ended <- s.serve(in) }() // still waits for input when Serve returns early
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		s.answering.Lock()
		return ctx.Err()
	}
}

// serve reads and answers in one goroutine: another one would have to be woken for
// every message.
func (s *server) serve(in io.Reader) error {
	for lines := input.NewLines(in, maxMessage); ; {
		line, err := lines.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("standard input: %w", err)
		}
		s.answering.Lock()
		err = s.answerLine(line)
		s.answering.Unlock()
		if err != nil {
			return err
		}
	}
}

// answerLine answers the message on a line.
func (s *server) answerLine(line []byte) error {
	m, err := decodeMessage(line)
	if err != nil {
		return s.answerUnreadable(err)
	}
	var answer *jsonrpc2.Response
	switch m := m.(type) {
	case *jsonrpc2.Request:
		result, err := s.handle(m)
		if !m.IsCall() { // a notification has no answer
			return nil
		}
		answer = responseTo(m.ID, result, err)
	case *jsonrpc2.Response:
		answer = &jsonrpc2.Response{ID: m.ID,
			Error: jsonrpc2.NewError(codeRequest, "a message without a method")}
	}
	text, err := appendMessage(nil, answer)
	if err == nil {
		_, err = s.out.Write(append(text, '\n'))
	}
	return err
}

// answerUnreadable answers a line that is not a message, and so has no id.
func (s *server) answerUnreadable(err error) error {
	text, marshal := json.Marshal(input.Message(err.Error()))
	if marshal != nil {
		return marshal
	}
	const answer = `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}` + "\n"
	_, err = fmt.Fprintf(s.out, answer, codeParse, text)
	return err
}

// responseTo returns the response to call id with what its handler returned.
func responseTo(id jsonrpc2.ID, result any, err error) *jsonrpc2.Response {
	raw, ok := result.(json.RawMessage) // JSON already
	if !ok && err == nil {
		if raw, err = json.Marshal(result); err != nil {
			err = jsonrpc2.NewError(codeBug, err.Error())
		}
	}
	return &jsonrpc2.Response{ID: id, Result: raw, Error: err}
}

// invalidParams returns err with the code of invalid parameters.
func invalidParams(err error) error { return errorWithCode(codeParams, err) }

// errorWithCode returns err with a code of JSON-RPC.
func errorWithCode(code int64, err error) error {
	return jsonrpc2.NewError(code, input.Message(err.Error()))
}

// server holds the games that are open.
type server struct {
	catalog  experiment.Catalog
	out      io.Writer
	crashed  func(error)
	games    map[int]*servedGame
	lastGame int // the number of the game that was opened last

	answering sync.Mutex // is held while a message is answered
}

// servedGame holds a game that a client has opened, and its metrics so far.
type servedGame struct {
	*game.Environment
	meter     *game.Meter
	line      wire.Writer
	feedback  algorithms.Feedback
	lastRound convex.Round
	failed    error // why the game cannot go on
}

// handle returns the result of a request. A panic becomes an error.
func (s *server) handle(r *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			crash := game.Panicked(v)
			s.crashed(crash)
			result, err = nil, errorWithCode(codeBug, crash)
		}
	}()
	switch r.Method {
	case "initialize":
		return s.initialize(r.Params)
	case "new":
		return s.newGame(r.Params)
	case "step":
		return s.step(r.Params)
	case "result":
		return s.result(r.Params)
	case "close":
		return s.closeGame(r.Params)
	}
	known := []string{"initialize", "new", "step", "result", "close"}
	return nil, errorWithCode(codeMethod, spec.Unknown("method", r.Method, known, spec.Pos{}))
}

// initialize checks the version of the protocol, and returns which program answers.
func (s *server) initialize(params json.RawMessage) (any, error) {
	var p struct {
		Protocol json.RawMessage `json:"protocol"`
	}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	if string(p.Protocol) != strconv.Itoa(Protocol) {
		return nil, invalidParams(fmt.Errorf("protocol: found %s, expected %d",
			cmp.Or(string(p.Protocol), "nothing"), Protocol))
	}
	return struct {
		Protocol int `json:"protocol"`
		Program  any `json:"program"`
	}{Protocol, store.CurrentProvenance()}, nil
}

// newGame implements the method new: it starts a stream and opens a game on it.
func (s *server) newGame(params json.RawMessage) (any, error) {
	p := struct {
		Problem   string              `json:"problem"`
		Horizon   json.RawMessage     `json:"horizon"`
		Seed      json.RawMessage     `json:"seed"`
		Replicate json.RawMessage     `json:"replicate"`
		Feedback  algorithms.Feedback `json:"feedback"`
		Terms     bool                `json:"terms"`
	}{Seed: json.RawMessage("1"), Replicate: json.RawMessage("1"), Feedback: algorithms.FirstOrder}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	u, err := spec.ParseSpec(p.Problem)
	if err != nil {
		return nil, invalidParams(fmt.Errorf("problem: %w", err))
	}
	horizon, err := spec.ParseCount(string(p.Horizon))
	if err != nil {
		return nil, invalidParams(fmt.Errorf("horizon: %w", err))
	}
	seed, err := spec.ParseSeed(string(p.Seed))
	if err != nil {
		return nil, invalidParams(fmt.Errorf("seed: %w", err))
	}
	replicate, err := spec.ParseCount(string(p.Replicate))
	if err != nil {
		return nil, invalidParams(fmt.Errorf("replicate: %w", err))
	}
	if !slices.Contains(feedbackClasses, p.Feedback) {
		return nil, invalidParams(fmt.Errorf("feedback: %w",
			spec.Unknown("class", string(p.Feedback), []string{"FO", "FO+", "FI"}, spec.Pos{})))
	}
	problem, err := experiment.One(u, s.catalog.ResolveProblems)
	if err != nil {
		return nil, invalidParams(fmt.Errorf("problem: %w", err))
	}
	if problem, err = problem.Bind(horizon); err != nil {
		return nil, invalidParams(fmt.Errorf("problem: %w", err))
	}
	stream, err := problem.Open(seed, replicate)
	var crash *game.CrashError
	if errors.As(err, &crash) {
		return nil, errorWithCode(codeGame, err)
	} else if err != nil {
		return nil, invalidParams(err)
	}
	if stream.Facts().Opaque && p.Feedback == algorithms.FullInfo {
		game.Close(stream)
		return nil, invalidParams(errors.New("feedback: FI is whole functions, and those of the " +
			"problem are opaque, known by values and subgradients alone; ask for FO or FO+"))
	}
	meter := game.NewMeter(stream, nil)
	environment, err := game.NewEnvironment(stream, horizon, meter)
	if err != nil {
		game.Close(stream)
		return nil, invalidParams(err)
	}
	var w wire.Writer
	w.Text(`{"game":`)
	w.Int(s.lastGame + 1)
	w.Text(",")
	writeInstance(&w, stream.Set(), stream.Constraints(), stream.Facts())
	w.Text(`,"problem":`)
	w.JSON(problem.Spec)
	w.Text(`,"horizon":`)
	w.Int(horizon)
	w.Text(`,"seed":`)
	w.JSON(seed)
	w.Text(`,"replicate":`)
	w.Int(replicate)
	w.Text("}")
	if w.Err != nil {
		environment.Close()
		return nil, errorWithCode(codeGame, w.Err)
	}
	s.lastGame++
	s.games[s.lastGame] = &servedGame{
		Environment: environment, meter: meter, feedback: p.Feedback,
		line: wire.Writer{Plain: !p.Terms},
	}
	return json.RawMessage(w.Line), nil
}

// step plays one round of a game, and returns what the learner sees of it.
func (s *server) step(params json.RawMessage) (any, error) {
	var p struct {
		Game json.RawMessage `json:"game"`
		X    []*float64      `json:"x"`
	}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	g, err := s.openGame(p.Game)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(p.X))
	for i, v := range p.X {
		if v == nil {
			return nil, invalidParams(fmt.Errorf("x: coordinate %d of the action is null, expected a "+
				"finite number", i+1))
		}
		x[i] = *v
	}
	switch err := g.Check(x); {
	case g.failed != nil:
		return nil, errorWithCode(codeGame, g.failed)
	case g.Played() == g.Horizon():
		return nil, errorWithCode(codeGame, fmt.Errorf("the game is over after round %d", g.Horizon()))
	case err != nil:
		return nil, invalidParams(fmt.Errorf("x: %w", err))
	}
	// A game that does not reach the end of this function has failed, by an error or a
	// panic.
	g.failed = fmt.Errorf("the game failed in round %d", g.Played()+1)
	answer, err := g.play(x)
	if err != nil {
		g.failed = fmt.Errorf("%w: %w", g.failed, err)
		return nil, errorWithCode(codeGame, g.failed)
	}
	g.failed = nil
	return answer, nil
}

// play plays the next round, and returns what the learner sees of it, and all metrics so far. A
// number that is not finite is an error.
func (g *servedGame) play(x []float64) (answer json.RawMessage, err error) {
	var ahead []float64
	if g.feedback == algorithms.FirstOrderPlus {
		for _, f := range g.lastRound.Constraints {
			ahead = append(ahead, f.Value(x))
		}
	}
	if g.lastRound, err = g.Step(x); err != nil {
		return nil, err
	}
	w := &g.line
	w.Reset()
	w.Text(`{"t":`)
	w.Int(g.Played())
	w.Text(",")
	recorded.WriteSeen(w, g.lastRound, x, g.feedback == algorithms.FullInfo)
	if ahead != nil {
		w.Text(`,"ahead":`)
		w.Numbers(ahead)
	}
	w.Text(`,"metrics":`)
	w.JSON(g.meter.Metrics())
	w.Text(`,"done":`)
	w.JSON(g.Played() == g.Horizon())
	w.Text("}")
	return w.Line, w.Err
}

// result returns the metrics of a game after the rounds played so far.
func (s *server) result(params json.RawMessage) (any, error) {
	var p struct {
		Game json.RawMessage `json:"game"`
	}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	g, err := s.openGame(p.Game)
	switch {
	case err != nil:
		return nil, err
	case g.failed != nil:
		return nil, errorWithCode(codeGame, g.failed)
	case g.Played() == 0:
		return nil, errorWithCode(codeGame, errors.New("no round has been played"))
	}
	o, err := g.meter.Outcome(g.Played())
	if err != nil {
		return nil, errorWithCode(codeGame, err)
	}
	return o, nil
}

// closeGame ends a game.
func (s *server) closeGame(params json.RawMessage) (any, error) {
	var p struct {
		Game json.RawMessage `json:"game"`
	}
	if err := decodeParams(params, &p); err != nil {
		return nil, err
	}
	g, err := s.openGame(p.Game)
	if err != nil {
		return nil, err
	}
	g.Close()
	k, _ := strconv.Atoi(string(p.Game))
	delete(s.games, k)
	return struct{}{}, nil
}

// openGame returns the open game with this number.
func (s *server) openGame(number json.RawMessage) (*servedGame, error) {
	k, err := strconv.Atoi(string(number))
	g, open := s.games[k]
	switch {
	case len(number) == 0:
		return nil, invalidParams(errors.New("game: the number is missing"))
	case err != nil || !open:
		return nil, invalidParams(fmt.Errorf("game: no game %s is open", number))
	}
	return g, nil
}

// decodeParams reads the parameters of a method, an object, into a struct.
func decodeParams(params json.RawMessage, into any) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if !bytes.HasPrefix(params, []byte("{")) {
		return invalidParams(errors.New("params: expected an object {…}"))
	}
	if err := input.JSON(params, into); err != nil {
		return invalidParams(err)
	}
	return nil
}
