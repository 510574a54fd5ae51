import { createLeaseWait, type LeaseReading, type LeaseRow } from './lease-wait.ts'

const edge: LeaseRow = { id: 'a', timeline: '1', ackedVersion: 6, renewals: '4' }
const reading = (fields: Partial<LeaseReading> = {}): LeaseReading => ({
  timeline: '1',
  isTimelineSettled: true,
  version: 7,
  leases: [],
  ...fields,
})
const done = { kind: 'done', settlesTimeline: false }

it('is done when every edge has acknowledged the version, whatever is changed meanwhile', () => {
  const wait = createLeaseWait()
  expect(wait.decide(reading({ leases: [edge] }), 0, 0)).toEqual({ kind: 'wait' })
  expect(wait.decide(reading({ version: 9, leases: [{ ...edge, ackedVersion: 7 }] }), 5, 5)).toEqual(done)
  expect(createLeaseWait().decide(reading(), 0, 0)).toEqual(done)
})

it('ends a lease that was watched for three seconds without a renewal', () => {
  const wait = createLeaseWait()
  wait.decide(reading({ leases: [edge] }), 100, 100)
  expect(wait.decide(reading({ leases: [edge] }), 3_099, 3_099)).toEqual({ kind: 'wait' })
  expect(wait.decide(reading({ leases: [edge] }), 3_100, 3_100)).toEqual({ kind: 'end', leases: [edge] })
})

it('watches a lease again from each renewal', () => {
  const wait = createLeaseWait()
  wait.decide(reading({ leases: [edge] }), 0, 0)
  const renewed = { ...edge, renewals: '5' }
  wait.decide(reading({ leases: [renewed] }), 2_000, 2_000)
  expect(wait.decide(reading({ leases: [renewed] }), 4_999, 4_999)).toEqual({ kind: 'wait' })
  expect(wait.decide(reading({ leases: [renewed] }), 5_000, 5_000)).toMatchObject({ kind: 'end' })
})

it('does not believe what was acknowledged in another timeline', () => {
  const wait = createLeaseWait()
  const foreign = { ...edge, timeline: '0', ackedVersion: 8 }
  expect(wait.decide(reading({ leases: [foreign] }), 0, 0)).toEqual({ kind: 'wait' })
})

it('waits three seconds in a timeline in which nobody waited, because leases may be missing in it', () => {
  const wait = createLeaseWait()
  const unsettled = reading({ isTimelineSettled: false })
  expect(wait.decide(unsettled, 0, 0)).toEqual({ kind: 'wait' })
  expect(wait.decide(unsettled, 2_999, 2_999)).toEqual({ kind: 'wait' })
  expect(wait.decide(unsettled, 3_000, 3_000)).toEqual({ kind: 'done', settlesTimeline: true })
})

it.each([6, 7, 8])('reports a change that a failover may have lost, also when the version is %d there', (version) => {
  const wait = createLeaseWait()
  wait.decide(reading({ leases: [edge] }), 0, 0)
  expect(wait.decide(reading({ timeline: '2', version }), 10, 10)).toEqual({ kind: 'lost' })
})
