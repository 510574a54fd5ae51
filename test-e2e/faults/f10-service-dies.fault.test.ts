import { describeFault } from './describe-fault.ts'

const streams = 20

describeFault(
  {
    id: 'F10',
    title: 'a service dies during its answers',
    promise: 'every client receives a broken connection within 500 ms, never a clean end; the holds are released',
  },
  (fault) => {
    it('breaks the connections, and serves again after a restart', async () => {
      const call = { model: 'sim/pace-20', stream: true, body: { max_tokens: 500 } }
      const begun = await Promise.all(Array.from({ length: streams }, () => fault.begin(call)))
      const reading = begun.map(({ read }) => read())
      // Long enough for a first token, so that every stream has begun.
      const plain = fault.ask({ model: 'sim/slow-10000' })
      await fault.askDuring({ model: 'sim/echo' }, () => fault.ask({ model: 'sim/slow-300' }))
      const killedAt = performance.now()
      fault.fleet.inference.signal('SIGKILL')
      const answers = await Promise.all(reading.map(async (read) => ({ ...(await read), atMs: performance.now() })))
      const latestMs = Math.round(Math.max(...answers.map(({ atMs }) => atMs)) - killedAt)
      fault.note('streams broken off', answers.length)
      fault.note('the last client saw it after, ms', latestMs)
      expect(
        answers.filter(
          ({ whole, failure, text }) =>
            whole || failure === null || text.includes('[DONE]') || !text.includes('data: '),
        ),
      ).toEqual([])
      expect(latestMs).toBeLessThan(500)
      expect(await plain).toMatchObject({ status: 502 })
      const refused = await fault.ask({ model: 'sim/echo' })
      expect(refused).toMatchObject({ status: 503 })
      expect(refused.headers.get('retry-after')).toBe('1')
      await fault.fleet.restartInference()
      expect(await fault.ask({ model: 'sim/echo' })).toMatchObject({ status: 200, whole: true })
    }, 60_000)
  },
)
