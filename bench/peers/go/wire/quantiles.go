package wire

import (
	"slices"
	"time"
)

// Quantiles sums latencies up.
type Quantiles struct {
	Calls int     `json:"calls"`
	P50Us float64 `json:"p50Us"`
	P99Us float64 `json:"p99Us"`
	MaxUs float64 `json:"maxUs"`
}

// Summarize sorts the latencies.
func Summarize(latencies []time.Duration) Quantiles {
	slices.Sort(latencies)
	return Quantiles{len(latencies), quantile(latencies, 50), quantile(latencies, 99), quantile(latencies, 100)}
}

// Microseconds gives a duration as a number.
func Microseconds(duration time.Duration) float64 {
	return float64(duration.Nanoseconds()) / 1000
}

func quantile(sorted []time.Duration, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return Microseconds(sorted[(len(sorted)-1)*percent/100])
}

// Seconds makes a duration of a number.
func Seconds(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second))
}
