import { judgementsOver, planJudgements, readPaidWork } from '../judged-rows.ts'
import { describeFault } from './describe-fault.ts'
import { logExchanges } from './logged-work.ts'

const exchanges = 12
const judgeModel = 'sim/judge-1-1'

/** Settings of a process with a shifted clock. */
function shifted(shiftMs: number): Readonly<Record<string, string>> {
  const preload = new URL('./shifted-clock.ts', import.meta.url).pathname
  return { NODE_OPTIONS: `--import=${preload}`, CLOCK_SHIFT_MS: String(shiftMs) }
}

describeFault(
  {
    id: 'F30',
    title: 'the clock of a process is wrong',
    promise:
      'identities are accepted with a difference of 5 s and refused with 40 s, as 502; no lease is stolen, no hold released',
    fleet: { judges: true, env: { JUDGE_CONCURRENCY: '2' } },
  },
  (fault) => {
    let logIds: readonly string[]
    beforeAll(async () => {
      logIds = await logExchanges(fault, exchanges)
    }, 60_000)

    it.each([
      [4, 200],
      [-4, 200],
      [40, 502],
      [-40, 502],
      [90, 502],
    ])(
      'an edge that is off by %d s gets %d',
      async (seconds, status) => {
        const edge = await fault.fleet.add('edge', shifted(seconds * 1_000))
        const answer = await fault.ask({ model: 'sim/echo', url: edge.url })
        expect(answer.status).toBe(status)
        if (status === 502) expect(JSON.parse(answer.text).error).toMatchObject({ type: 'upstream_error' })
        await edge.stop()
        fault.note(`an edge ${seconds} s off gets`, answer.status ?? 'nothing')
      },
      30_000,
    )

    it('inference with a fast clock releases no hold of other processes', async () => {
      const { fleet } = fault
      const stream = await fault.begin({ model: 'sim/pace-50', stream: true, body: { max_tokens: 100 } })
      const ahead = await fleet.add('inference', shifted(90_000))
      const answer = await stream.read()
      expect(answer).toMatchObject({ status: 200, whole: true })
      await ahead.stop()
    }, 30_000)

    it('a worker with a fast clock steals no lease, and dead-letters nothing', async () => {
      const { fleet } = fault
      const before = await readPaidWork(fleet)
      await fleet.provider.reset()
      await fleet.provider.script({ model: judgeModel, behaviour: 'slow-2000', count: 1_000 })
      await fleet.add('judging-worker', shifted(90_000))
      const rows = await judgementsOver(fleet, await planJudgements(fleet, { judgeModel, logIds }))
      const { requests } = await fleet.provider.report({ model: judgeModel })
      const after = await readPaidWork(fleet)
      const refused = fleet.logging.log.filter((line) => line.includes('identity_refused')).length
      fault.note('judgements done beside a worker 90 s ahead', rows.filter(({ state }) => state === 'done').length)
      fault.note('provider calls for them', requests.length)
      expect(refused).toBeGreaterThan(0)
      expect(rows.map(({ state, verdict }) => [state, verdict !== null])).toEqual(logIds.map(() => ['done', true]))
      expect(requests).toHaveLength(exchanges)
      expect(after.charges - before.charges).toBe(exchanges)
      expect(after.billedNano).toBe(after.storedNano)
      expect(rows.map(({ attempts }) => attempts)).toEqual(logIds.map(() => 1))
    }, 120_000)
  },
)
