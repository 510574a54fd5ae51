import { describeRates } from '@ratchet/testing/describe-rates'
import { adversarialLog } from './adversarial-log.fixture.ts'
import { type Curation, curate } from './curate.ts'
import { digestExchange } from './digest-exchange.ts'
import { finish } from './stored-exchange.fixture.ts'

interface Split extends Curation {
  /** Share of the held out examples whose family is in training too. */
  readonly leaked: number
}

function splitOf(random: () => number): Split {
  const { exchanges, familyOf } = adversarialLog(random)
  const digests = exchanges.map((each) => finish(digestExchange(each, { includeTools: true, nearDuplicates: false })))
  const curation = finish(curate(digests, { holdoutPct: 20, seed: Math.floor(random() * 1e9) }))
  const trained = new Set(curation.train.map(({ key }) => familyOf.get(key.id)))
  const leaked = curation.eval.filter(({ key }) => trained.has(familyOf.get(key.id))).length
  return { ...curation, leaked: leaked / Math.max(1, curation.eval.length) }
}

describeRates('a split of a log with retrieval, changed instructions and near duplicates', [
  {
    title: 'more than 1 % of the held out examples have a relative in training',
    atMost: 0.01,
    runs: 8,
    fullRuns: 500,
    happens: (random) => splitOf(random).leaked > 0.01,
  },
  {
    title: 'more than 1 % of the held out examples have a prompt of training that is alike, by an exact search',
    atMost: 0.01,
    runs: 8,
    fullRuns: 500,
    happens: (random) => (splitOf(random).summary.leakage?.share ?? 1) > 0.01,
  },
  {
    title: 'between 15 % and 20 % of the examples are held out, and none is dropped',
    atLeast: 0.99,
    runs: 8,
    fullRuns: 500,
    happens(random) {
      const { summary } = splitOf(random)
      const share = summary.eval_count / (summary.eval_count + summary.train_count)
      return share >= 0.15 && share <= 0.205 && summary.dropped.leaked === 0
    },
  },
  {
    title: 'turns under other instructions are folded into one example per conversation',
    atLeast: 0.99,
    runs: 4,
    fullRuns: 500,
    happens: (random) => splitOf(random).summary.folded_conversations >= 46,
  },
])
