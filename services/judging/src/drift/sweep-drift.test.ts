import { countingUuids } from '@ratchet/testing/counting-ids'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { DriftStore, ExaminedCriterion, FoundDrift } from './drift-store.ts'
import { sweepDrift } from './sweep-drift.ts'

const at = new Date('2026-11-21T12:00:00Z')
const alignedAt = new Date('2026-10-01T12:00:00Z')
const examined: ExaminedCriterion = { ...storedCriterion(), calibrationId: 'r1', alignedAt }

async function sweepOver(judges: readonly ExaminedCriterion[]): Promise<FoundDrift[]> {
  const found: FoundDrift[] = []
  const drift: DriftStore = {
    examined: async () => judges,
    validated: async () => ({
      alignedAt,
      judgeModels: [],
      fingerprints: [],
      passRate: { rate: 0.9, standardError: 0.03 },
      accuracy: { truePositives: 97, humanFails: 100, trueNegatives: 97, humanPasses: 100 },
    }),
    live: async () => ({ judged: 0, judgedFails: 0, judgeModel: null, fingerprint: null }),
    calibrationRows: async () => [],
    save: async (_examined, each) => void found.push(each),
    explain: async () => undefined,
  }
  await sweepDrift({
    drift,
    now: () => at,
    newId: countingUuids(),
    enqueueRuns: async () => undefined,
    runs: { create: () => Promise.reject(new Error('nothing dropped')) },
    settings: { staleDays: 30, minJudged: 50, alpha: 0.005, minDrop: 0.03, liveDays: 7 },
    onFailure: (_id, cause) => {
      throw cause
    },
  })
  return found
}

it('saves a finding together with its webhook event', async () => {
  const data = { drift_signal: 'stale', drift_reason: expect.stringContaining('51 days ago') }
  expect(await sweepOver([examined])).toMatchObject([
    { finding: { signal: 'stale' }, notice: { data, createdAt: at }, at },
  ])
})

it('makes no webhook event for a judge that was flagged before', async () => {
  const flagged = { ...examined, driftSignal: 'stale', driftReason: 'Aged.', driftCheckedAt: at } as const
  expect(await sweepOver([flagged])).toMatchObject([{ finding: { signal: 'stale', reason: 'Aged.' }, notice: null }])
})
