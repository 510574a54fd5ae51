import { describeRates } from '@ratchet/testing/describe-rates'
import type { JudgedPair } from '../judging/pair-verdict.ts'
import { combinePanel } from '../judging/panel-pair.ts'
import { firstTwice, lost, samplesWith, tied, won } from '../report/measured-samples.fixture.ts'
import { weighEvidence } from './weigh-evidence.ts'

type Random = () => number

interface Several {
  readonly samples: number
  /** Pairs of one sample, one for each candidate. */
  readonly pairs: (random: Random) => readonly JudgedPair[]
}

/** Whether one of the candidates of an eval is proven to be better than the baseline. */
function provesAny({ samples, pairs }: Several) {
  return (random: Random) => {
    const measured = samplesWith(Array.from({ length: samples }, () => [...pairs(random)]))
    const candidates = measured[0]?.pairs.length ?? 0
    return Array.from({ length: candidates }, (_, place) => place).some((place) => {
      const { problems, win_rate_low: low } = weighEvidence({
        samples: measured,
        place,
        candidates,
        judgeTrust: 'trustworthy',
        cannotActReason: null,
        plannedSequence: null,
        attempt: 1,
        promptUses: 0,
      })
      return problems.length === 0 && (low ?? 0) >= 0.5
    })
  }
}

const outcome = (random: Random, win: number, tie: number): JudgedPair => {
  const unit = random()
  return unit < win ? won : unit < win + tie ? tied : lost
}

/** Candidates that are judged on the same samples: what is hard for one is hard for all in half of them. */
function candidates(count: number, win: number, tie: number) {
  return (random: Random) => {
    const common = outcome(random, win, tie)
    return Array.from({ length: count }, () => (random() < 0.5 ? common : outcome(random, win, tie)))
  }
}

/** Each judge of a panel sees the true outcome, makes an error, or prefers the answer that is shown first. */
function panel(judges: number, win: number, tie: number) {
  return (random: Random) => {
    const truth = outcome(random, win, tie)
    const seen = Array.from({ length: judges }, () => {
      const unit = random()
      return unit < 0.8 ? truth : unit < 0.98 ? outcome(random, 0.5, 0) : firstTwice
    })
    return [combinePanel(seen)]
  }
}

const atMost = 0.025
const runs = { runs: 20, fullRuns: 3_000 }

describeRates('the evidence of an eval of several candidates, or with a panel of judges', [
  {
    title: 'accepts any of 2 equal candidates, 100 samples',
    atMost,
    ...runs,
    happens: provesAny({ samples: 100, pairs: candidates(2, 0.4, 0.2) }),
  },
  {
    title: 'accepts any of 3 equal candidates, 100 samples',
    atMost,
    ...runs,
    happens: provesAny({ samples: 100, pairs: candidates(3, 0.4, 0.2) }),
  },
  {
    title: 'accepts any of 3 equal candidates, 500 samples, 80 % ties',
    atMost,
    ...runs,
    happens: provesAny({ samples: 500, pairs: candidates(3, 0.1, 0.8) }),
  },
  {
    title: 'accepts an equal candidate, panel of 2, 100 samples',
    atMost,
    ...runs,
    happens: provesAny({ samples: 100, pairs: panel(2, 0.4, 0.2) }),
  },
  {
    title: 'accepts an equal candidate, panel of 3, 200 samples',
    atMost,
    ...runs,
    happens: provesAny({ samples: 200, pairs: panel(3, 0.4, 0.2) }),
  },
  {
    title: 'accepts a candidate that wins 0.75 of 300, panel of 3',
    atLeast: 0.9,
    ...runs,
    happens: provesAny({ samples: 300, pairs: panel(3, 0.75, 0) }),
  },
])
