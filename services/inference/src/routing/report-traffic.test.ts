import { type ArmTraffic, reportAliasTraffic } from '@ratchet/contracts/internal-alias'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import type { AliasTrafficEvent } from './arm-recorder.ts'
import { createArmCounts } from './count-arms.ts'
import { createTrafficReports, type TrafficReport } from './report-traffic.ts'

const reporter = '00000000-0000-4000-8000-0000000000aa'
const aliasId = (index: number) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`

/** Reports to a service with scripted answers; it accepts reports when none is scripted. */
function setUp({ stopMs = 50 } = {}) {
  const counts = createArmCounts()
  const sent: TrafficReport[] = []
  const events: AliasTrafficEvent['kind'][] = []
  const service = { answer: async (): Promise<unknown> => ({ counted: true }) }
  const reports = createTrafficReports({
    take: counts.take,
    send(report) {
      sent.push(structuredClone(report))
      return service.answer()
    },
    reporter,
    onEvent: ({ kind }) => events.push(kind),
    stopMs,
  })
  return {
    reports,
    sent,
    events,
    service,
    request: (index = 1) => counts.assigned({ id: aliasId(index), name: 'a', epoch: 1, arm: 'target' }),
  }
}

const fails = (status: number) => async () => {
  throw new FleetCallError('no', { status })
}
const assigned = ({ sequence, arms }: TrafficReport) => [sequence, arms.map((arm) => arm.assigned)]

describe('the traffic report', () => {
  it('follows the contract, and is not sent without traffic', async () => {
    const { reports, sent, request } = setUp()
    await reports.report()
    expect(sent).toEqual([])
    request()
    request()
    await reports.report()
    await reports.report()
    expect(sent).toHaveLength(1)
    expect(reportAliasTraffic.body.parse(sent[0])).toMatchObject({ reporter, sequence: 1, arms: [{ assigned: 2 }] })
  })

  it('has a new sequence number each time', async () => {
    const { reports, sent, request } = setUp()
    for (let round = 0; round < 3; round++) {
      request()
      await reports.report()
    }
    expect(sent.map(assigned)).toEqual([
      [1, [1]],
      [2, [1]],
      [3, [1]],
    ])
  })

  it.each([0, 408, 429, 500, 503])('is sent again unchanged until it is answered, after %i', async (status) => {
    const { reports, sent, events, service, request } = setUp()
    const { answer } = service
    service.answer = fails(status)
    request()
    await reports.report()
    request()
    await reports.report()
    service.answer = answer
    await reports.report()
    await reports.report()
    expect(sent.map(assigned)).toEqual([
      [1, [1]],
      [1, [1]],
      [1, [1]],
      [2, [1]],
    ])
    expect(events).toEqual(['unavailable', 'reported', 'recovered', 'reported'])
  })

  it.each([400, 401, 404, 413])('is dropped when the service refuses it with %i', async (status) => {
    const { reports, sent, events, service, request } = setUp()
    const { answer } = service
    service.answer = fails(status)
    request()
    await reports.report()
    service.answer = answer
    await reports.report()
    request()
    await reports.report()
    expect(sent.map(assigned)).toEqual([
      [1, [1]],
      [2, [1]],
    ])
    expect(events).toEqual(['refused', 'reported'])
  })

  it('is split into parts that a service accepts, even with every bucket filled', async () => {
    const { reports, sent, request } = setUp()
    for (let index = 0; index < 400; index++) request(index)
    await reports.report()
    expect(sent.map(({ sequence, arms }) => [sequence, arms.length])).toEqual([
      [1, 150],
      [2, 150],
      [3, 100],
    ])
    const latencies = Object.fromEntries(Array.from({ length: 401 }, (_, bucket) => [bucket, 4_294_967_296]))
    const fullest: ArmTraffic[] = sent[0]?.arms.map((arm) => ({ ...arm, latencies, cost_usd: 1 / 3 })) ?? []
    expect(Buffer.byteLength(JSON.stringify({ ...sent[0], arms: fullest }))).toBeLessThan(1024 * 1024)
  })

  it('waits for each part: none is skipped after a failure', async () => {
    const { reports, sent, service, request } = setUp()
    const { answer } = service
    for (let index = 0; index < 151; index++) request(index)
    service.answer = fails(0)
    await reports.report()
    service.answer = answer
    await reports.report()
    expect(sent.map(({ sequence }) => sequence)).toEqual([1, 1, 2])
  })
})

describe('at the end of the process', () => {
  it('is tried once more: what was not answered, and what was counted since', async () => {
    const { reports, sent, events, service, request } = setUp()
    const { answer } = service
    service.answer = fails(0)
    request()
    await reports.report()
    request()
    service.answer = answer
    await reports.stop()
    expect(sent.map(({ sequence }) => sequence)).toEqual([1, 1, 2])
    expect(events).not.toContain('lost')
  })

  it('is dropped at once when the service refuses it, and reported as lost', async () => {
    const { reports, events, service, request } = setUp()
    service.answer = fails(503)
    request()
    await reports.stop()
    expect(events).toEqual(['unavailable', 'lost'])
  })

  it('does not wait for a service that does not answer', async () => {
    const { reports, events, service, request } = setUp({ stopMs: 20 })
    service.answer = () => new Promise(() => undefined)
    request()
    const startedAt = performance.now()
    await reports.stop()
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(events).toEqual(['lost'])
  })
})
