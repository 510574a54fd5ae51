import { deliveryReply, type StoredDelivery, verdictOn } from './delivery.ts'

it.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [301, 'failed'],
  [404, 'failed'],
  [410, 'gone'],
  [500, 'failed'],
  [null, 'failed'],
] as const)('an answer of %s is %s', (status, verdict) => {
  expect(verdictOn(status)).toBe(verdict)
})

describe('the next attempt', () => {
  const dueAt = new Date('2026-11-21T12:00:10Z')
  const delivery: StoredDelivery = {
    id: crypto.randomUUID(),
    webhookId: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    type: 'eval.done',
    payload: {},
    status: 'pending',
    attempts: [],
    dueAt,
    createdAt: new Date('2026-11-21T12:00:00Z'),
  }

  it('is said while there will be one', () => {
    const next = (more: Partial<StoredDelivery>, enabled: boolean) =>
      deliveryReply({ ...delivery, ...more }, { enabled }).next_attempt_at
    expect(next({}, true)).toBe('2026-11-21T12:00:10.000Z')
    expect(next({}, false)).toBeNull()
    expect(next({ status: 'delivered', dueAt: null }, true)).toBeNull()
  })
})
