import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { createPgNotices } from '../notices/pg-notices.ts'
import { judgingWith, passed, plannedFor } from '../runs/judged-work.fixture.ts'
import { createPgCapNotices } from './pg-cap-notices.ts'
import { createPgMonitor } from './pg-monitor.ts'
import { watchWorkspaces } from './watch-workspaces.ts'

let database: LabelDatabase
beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.operator.query('DELETE FROM judging_notice'))

const wednesday = new Date('2026-11-25T12:00:00Z')
const nextMonday = new Date('2026-11-30T00:00:00Z')
const notices = () => createPgCapNotices(database.pool)
const events = async () => (await createPgNotices(database.pool).pending(100, null)).map(({ event }) => event)

async function capped(onlineCapNano: bigint, more: Partial<StoredCriterion> = {}): Promise<StoredCriterion> {
  const judge = storedCriterion({ id: randomUUID(), workspaceId: randomUUID(), onlineCapNano, ...more })
  await createPgCriteria(database.pool).create(judge)
  return judge
}

const raise = (judge: StoredCriterion, onlineCapNano: bigint) =>
  createPgCriteria(database.pool).update(judge, () => ({ patch: { onlineCapNano }, voids: null }), wednesday)

it('is one event a week, however many workers notice it', async () => {
  const judge = await capped(5_000_000n)
  await Promise.all([1, 2, 3].map(() => notices().note(judge, wednesday)))
  await notices().note(judge, new Date('2026-11-29T23:59:59Z'))
  const id = expect.any(String)
  expect(await events()).toEqual([
    {
      id,
      type: 'criterion.cap_reached',
      timestamp: wednesday,
      data: {
        object: 'criterion',
        id: publicId('criterion', judge.id),
        name: judge.name,
        online_cap_usd: 0.005,
        resets_at: nextMonday.toISOString(),
      },
      identity: workspaceIdentity(judge.workspaceId),
    },
  ])
  await notices().note(judge, nextMonday)
  expect(await events()).toHaveLength(2)
})

it('is sent again for a cap that was raised, not for one that was lowered, and never without a cap', async () => {
  const judge = await capped(5n)
  await notices().note(judge, wednesday)
  await raise(judge, 4n)
  await notices().note(judge, wednesday)
  expect(await events()).toHaveLength(1)
  await raise(judge, 6n)
  await notices().note(judge, wednesday)
  expect(await events()).toHaveLength(2)
  await raise(judge, 0n)
  await notices().note(judge, nextMonday)
  expect(await events()).toHaveLength(2)
})

it.each(['request', 'trace'] as const)(
  'is noticed by the monitor of a %s, for judges that used up theirs',
  async (unit) => {
    const workspaceId = randomUUID()
    const online = { onlineEnabled: true, workspaceId, unit }
    const [used, unused] = [await capped(5n, online), await capped(5_000n, online)]
    const judgements = createPgJudgements(database.pool)
    for (const judge of [used, unused]) {
      const spent = plannedFor(judge, { source: 'online' })
      await judgements.plan([spent])
      await processJudgement(judgingWith(judgements, async () => passed).deps, spent.id)
    }
    const pass = () =>
      watchWorkspaces(
        {
          monitor: createPgMonitor(database.pool),
          capNotices: notices(),
          now: () => wednesday,
          onFailure: (_workspace, cause) => {
            throw cause
          },
        },
        unit,
        async () => undefined,
      )
    await pass()
    await pass()
    const found = (await events()).filter(({ identity }) => identity.workspaceId === workspaceId)
    expect(found.map(({ data }) => data.id)).toEqual([publicId('criterion', used.id)])
  },
)
