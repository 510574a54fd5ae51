import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'

let app: JudgingApp
let id: string
beforeAll(async () => {
  app = await startJudgingApp()
  id = await app.addCriterion()
})
afterAll(() => app?.stop())

const read = (logIds: readonly string[], by?: string, criterion = id) =>
  app.request(
    'post',
    '/internal/judging/log-verdicts',
    { criterion_id: criterion, log_ids: logIds.map((each) => publicId('log', each)) },
    by,
  )

interface Judged {
  readonly logId: string
  readonly verdict: 'pass' | 'fail' | null
  readonly source?: string
  readonly instrument?: number
  readonly minute?: number
}

async function judged({ logId, verdict, source = 'scan', instrument = 1, minute = 0 }: Judged): Promise<void> {
  await app.operator.query(
    `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at, state, verdict,
       failure, judged_at)
     VALUES ($1, $2, $3, $4, $5, $6, now(), 'done', $7,
       CASE WHEN $7::verdict IS NULL THEN 'unparseable' END, now() + $8 * interval '1 minute')`,
    [randomUUID(), app.workspaceId, criterionUuid(id), source, instrument, logId, verdict, minute],
  )
}

it('answers with the latest verdict on what was served, by the present instrument', async () => {
  const [first, second, shadowed, older, silent, unknown] = Array.from({ length: 6 }, () =>
    randomUUID(),
  ) as string[] as [string, string, string, string, string, string]
  await judged({ logId: first, verdict: 'pass', minute: 1, source: 'online' })
  await judged({ logId: first, verdict: 'fail', minute: 2 })
  await judged({ logId: second, verdict: 'pass', source: 'gate' })
  await judged({ logId: shadowed, verdict: 'fail', source: 'shadow' })
  await judged({ logId: older, verdict: 'fail', instrument: 2 })
  await judged({ logId: silent, verdict: null })
  const { status, body } = await read([first, second, shadowed, older, silent, unknown])
  expect(status).toBe(200)
  expect(new Map(body.data.map((each: { log_id: string; verdict: string }) => [each.log_id, each.verdict]))).toEqual(
    new Map([
      [publicId('log', first), 'fail'],
      [publicId('log', second), 'pass'],
    ]),
  )
})

it('does not know the judges of other workspaces', async () => {
  const { status, body } = await read([], randomUUID())
  expect([status, body.error.code, body.error.param]).toEqual([404, 'not_found', 'criterion_id'])
  expect((await read([])).body).toEqual({ data: [] })
})

it('refuses a judge of complete runs, and more than a thousand exchanges', async () => {
  await app.operator.query(`UPDATE criterion SET unit = 'trace' WHERE id = $1`, [criterionUuid(id)])
  expect((await read([])).body.error.code).toBe('unsupported_unit')
  const { status, body } = await read(Array.from({ length: 1_001 }, () => randomUUID()))
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'log_ids'])
})
