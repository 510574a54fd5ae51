import { randomUUID } from 'node:crypto'
import { buildReport } from '../report/build-report.ts'
import { reportInput } from '../report/measured-samples.fixture.ts'
import { evalRequest } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import type { EvalEnd } from '../runs/eval-run.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { createPgEvidence } from './pg-evidence.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const evals = () => createPgEvals(database.pool)
const evidence = () => createPgEvidence(database.pool)
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 13, minute))
const report = buildReport(reportInput([]))
const done: EvalEnd = { status: 'DONE', report, error: null }

describe('evidence', () => {
  const workspaceId = randomUUID()
  const since = at(10)
  const compared = async (
    baseline: string,
    candidates: string[],
    { minute = 20, end = done, whose = workspaceId } = {},
  ) => {
    const request = evalRequest({ baseline_model: baseline, candidate_models: candidates })
    const run = await database.create({ workspaceId: whose, request })
    await evals().finish(await database.leaseEval(run.id), end, at(minute))
    return run.id
  }
  const found = async (baselineModel: string, candidateModel: string) => {
    const all = await evidence().find({ workspaceId, baselineModel, candidateModel, since })
    return all.map(({ id, candidate }) => [id, candidate])
  }

  it('is the DONE evals of this workspace and these models since then, newest first', async () => {
    const older = await compared('acme/a', ['acme/b'], { minute: 10 })
    const newer = await compared('acme/a', ['acme/c', 'acme/b'], { minute: 30 })
    await compared('acme/a', ['acme/b'], { minute: 9 })
    await compared('acme/a', ['acme/b'], { end: { status: 'FAILED', report: null, error: 'x' } })
    await compared('acme/a', ['acme/b'], { whose: randomUUID() })
    await compared('acme/b', ['acme/a'])
    await database.create({
      workspaceId,
      request: evalRequest({ baseline_model: 'acme/a', candidate_models: ['acme/b'] }),
    })
    expect(await found('acme/a', 'acme/b')).toEqual([
      [newer, 'acme/b'],
      [older, 'acme/b'],
    ])
    const [first] = await evidence().find({ workspaceId, baselineModel: 'acme/a', candidateModel: 'acme/b', since })
    expect(first).toEqual({ id: newer, candidate: 'acme/b', report, finishedAt: at(30) })
  })

  it('matches names with and without their provider', async () => {
    const short = await compared('x', ['y'])
    const whole = await compared('one/x', ['one/y'], { minute: 21 })
    const both = await compared('one/x', ['y', 'one/y'], { minute: 22 })
    await compared('two/one/x', ['two/one/y'])
    await compared('two/x', ['two/y'], { minute: 23 })
    expect(await found('one/x', 'one/y')).toEqual([
      [both, 'one/y'],
      [whole, 'one/y'],
      [short, 'y'],
    ])
    expect((await found('x', 'y')).map(([, candidate]) => candidate)).toEqual(['two/y', 'y', 'one/y', 'y'])
    expect(await found('x_', 'y')).toEqual([])
    expect(await found('%', '%')).toEqual([])
  })

  it('is at most fifty evals', async () => {
    for (let n = 0; n < 51; n += 1) await compared('many/a', ['many/b'])
    expect(await found('many/a', 'many/b')).toHaveLength(50)
  })
})
