package conform

import (
	"reflect"
	"strings"

	"ocobench/convex"
)

// The laws speak of the names of Go. Of an entry of another program they are told in the words of
// docs/protocol.md and of the Python client.

// programWords replaces what has a name of Go in the laws.
var programWords = func() *strings.Replacer {
	pairs := []string{
		"In Go: Set.Project(x, x)", "In Python: game.domain.project(x)",
		"in Observe or tell", "in tell", "let Act, or ask, only", "let ask only",
		"Declare Draws (draws)", "Declare draws",
		"the learner that New returns, and none in variables of the package or in what New captures",
		"the object of the game, and none in variables of the module or of the class",
		"Processes of a program", "Processes",
		"Declare Anytime (anytime) if the horizon is not used. If it is used, do not, and in Go embed " +
			"algorithms.Epochs in the parameters",
		"Declare anytime if the horizon is not used, and only then",
		"Bound must return", "The formula bound must be",
		" It returns an error where the proof does not apply.", "",
		"as Constraints says", "as the member constraints says", "of Value", "of the values",
		"the rng of New alone (a program: from the seed of the game)", "the seed of the game alone",
		"the rng of New", "the seed", "in New,", "in the constructor,",
		", and set Diameter to Set().Diameter()", "",
		"an Expectation", "expectation", "Let Expectation return", "Set expectation to",
		", or nil where it is not known; copy functions that Reveal overwrites",
		", or leave it out where it is not known", "Reveal", "reveal",
	}
	for f := range reflect.TypeFor[convex.Facts]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		pairs = append(pairs, f.Name, name)
	}
	return strings.NewReplacer(pairs...)
}()

// inProgramWords returns a law as it is told of other programs.
func inProgramWords(l Law) Law {
	l.Doc, l.Remedy = programWords.Replace(l.Doc), programWords.Replace(l.Remedy)
	return l
}
