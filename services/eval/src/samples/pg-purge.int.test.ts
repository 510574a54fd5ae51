import { randomUUID } from 'node:crypto'
import { modelAnswer, pairVerdict, plannedSample } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createPgPurge } from './pg-purge.ts'
import { createPgSamples } from './pg-samples.ts'
import { purgeSamples } from './purge-samples.ts'
import type { PlannedSample } from './sample.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const purge = () => createPgPurge(database.pool)
const samples = () => createPgSamples(database.pool)
const past = new Date('2020-01-01T00:00:00Z')
const future = new Date('2090-01-01T00:00:00Z')

/** A finished sample in an eval of its own. */
async function doneSample(more: Partial<PlannedSample> = {}) {
  const planned = plannedSample(more)
  const run = await database.begin({}, [planned])
  await evaluate(planned.id)
  await samples().complete({ id: planned.id, generation: 1 }, { outcomes: ['win'], failure: null })
  return { ...planned, run }
}

/** Saves answers and verdicts of a sample that remains leased. */
async function evaluate(id: string) {
  const leased = await database.leaseSample(id)
  for (const modelIndex of [0, 1]) await samples().saveAnswer(leased, modelAnswer({ modelIndex }))
  for (const isSwapped of [false, true])
    await samples().saveVerdict(leased, pairVerdict({ isSwapped, preference: 'first' }))
  return leased
}

/** All texts of a sample. */
async function textsOf(id: string): Promise<readonly unknown[]> {
  const { prompt, reference } = await database.sampleRow(id)
  const column = async (name: string, table: string) => {
    const text = `SELECT ${name} AS text FROM ${table} WHERE sample_id = $1`
    return (await database.operator.query(text, [id])).rows.map((row) => row.text)
  }
  const answers = await column('message', 'eval_answer')
  return [prompt, reference, ...answers, ...(await column('explanation', 'eval_look'))]
}

const nothing = [null, null, null, null, null, null]
const everything = nothing.map(() => expect.any(String))

it('deletes the texts of expired log entries and leaves the measurements', async () => {
  const [expired, unexpired] = [await doneSample({ expiresAt: past }), await doneSample({ expiresAt: future })]
  const uploaded = await doneSample({ logId: null, expiresAt: null })
  const before = await samples().measured(expired.run.id)
  expect(await purge().purgeExpired()).toBe(1)
  expect(await purge().purgeExpired()).toBe(0)
  expect(await textsOf(expired.id)).toEqual(nothing)
  for (const { id } of [unexpired, uploaded]) expect(await textsOf(id)).toEqual(everything)
  expect(await samples().measured(expired.run.id)).toEqual(before)
  const list = await samples().list({ runId: expired.run.id, outcome: 'win', limit: 1, offset: 0 })
  expect(list).toMatchObject({
    total: 1,
    samples: [
      {
        prompt: null,
        reference: null,
        outcomes: ['win'],
        logId: expired.logId,
        answers: [
          { message: null, error: null, costNano: 7_000n },
          { message: null, error: null, costNano: 7_000n },
        ],
        verdicts: [
          { preference: 'first', explanation: null },
          { preference: 'first', explanation: null },
        ],
      },
    ],
  })
})

it('deletes the texts of deleted log entries, in every eval of their workspace and in no other', async () => {
  const [logId, workspaceId] = [randomUUID(), randomUUID()]
  const own = [plannedSample({ logId }), plannedSample({ logId, position: 1 }), plannedSample({ position: 2 })]
  await database.begin({ workspaceId }, own)
  const [again] = [plannedSample({ logId })]
  await database.begin({ workspaceId }, [again])
  const foreign = await doneSample({ logId })
  for (const { id } of [...own, again]) await evaluate(id)
  await purge().purge([{ workspaceId, logId }])
  for (const { id } of [own[0], own[1], again].filter((each) => each !== undefined)) {
    expect(await textsOf(id)).toEqual(nothing)
  }
  for (const id of [own[2]?.id ?? '', foreign.id]) expect(await textsOf(id)).toEqual(everything)
})

it('lists each log entry from which texts are held, once, page by page', async () => {
  const [logId, workspaceId] = [randomUUID(), randomUUID()]
  const planned = [
    plannedSample({ logId }),
    plannedSample({ logId, position: 1 }),
    plannedSample({ position: 2 }),
    plannedSample({ position: 3, logId: null }),
  ]
  await database.begin({ workspaceId }, planned)
  await doneSample({ logId })
  const all = await purge().referencedLogs(null, 1_000)
  const ofWorkspace = all.filter((held) => held.workspaceId === workspaceId).map((held) => held.logId)
  expect(ofWorkspace).toEqual([logId, planned[2]?.logId].toSorted())
  expect(all.filter((held) => held.logId === logId)).toHaveLength(2)
  const paged: unknown[] = []
  for (let page = await purge().referencedLogs(null, 1); page.length > 0; ) {
    paged.push(...page)
    page = await purge().referencedLogs(page[0] ?? null, 1)
  }
  expect(paged).toEqual(all)
  await purge().purge([{ workspaceId, logId }])
  expect(await purge().referencedLogs(null, 1_000)).toHaveLength(all.length - 1)
})

it('asks the log of each workspace which entries exist, and deletes the texts of the others', async () => {
  const [deleted, present, other] = [await doneSample(), await doneSample(), await doneSample()]
  const requested = new Map<string, readonly string[]>()
  await purgeSamples({
    store: purge(),
    log: {
      async present({ workspaceId }, logIds) {
        requested.set(workspaceId, logIds)
        return new Set(logIds.filter((logId) => logId !== deleted.logId))
      },
    },
  })
  expect(requested.get(deleted.run.workspaceId)).toEqual([deleted.logId])
  expect(requested.get(other.run.workspaceId)).toEqual([other.logId])
  expect(await textsOf(deleted.id)).toEqual(nothing)
  for (const { id } of [present, other]) expect(await textsOf(id)).toEqual(everything)
})

describe('a sample in progress while its texts are deleted', () => {
  it('saves no texts afterwards', async () => {
    const planned = plannedSample()
    const { workspaceId, id: runId } = await database.begin({}, [planned])
    const leased = await database.leaseSample(planned.id)
    await samples().saveAnswer(leased, modelAnswer())
    await purge().purge([{ workspaceId, logId: planned.logId ?? '' }])
    await samples().saveAnswer(leased, modelAnswer({ modelIndex: 1 }))
    for (const isSwapped of [false, true]) await samples().saveVerdict(leased, pairVerdict({ isSwapped }))
    expect(await textsOf(planned.id)).toEqual(nothing)
    expect(await samples().complete(leased, { outcomes: ['tie'], failure: null })).toBe(true)
    expect(await samples().measured(runId)).toMatchObject([
      {
        answers: [{ costNano: 7_000n }, { costNano: 7_000n }],
        pairs: [{ kind: 'judged', preferences: ['tie', 'tie'] }],
      },
    ])
  })

  it('saves no texts at the same moment', async () => {
    for (let time = 0; time < 20; time += 1) {
      const planned = plannedSample()
      const { workspaceId } = await database.begin({}, [planned])
      const leased = await database.leaseSample(planned.id)
      await Promise.all([
        ...[0, 1].map((modelIndex) => samples().saveAnswer(leased, modelAnswer({ modelIndex }))),
        purge().purge([{ workspaceId, logId: planned.logId ?? '' }]),
        ...[false, true].map((isSwapped) => samples().saveVerdict(leased, pairVerdict({ isSwapped }))),
      ])
      expect(await textsOf(planned.id)).toEqual(nothing)
    }
  })

  it('is leased again without its prompt', async () => {
    const planned = plannedSample({ expiresAt: past })
    await database.begin({}, [planned])
    await purge().purgeExpired()
    expect(await database.leaseSample(planned.id)).toMatchObject({ prompt: null, reference: null })
  })
})
