import { deliveryReply, resultOf, type StoredDelivery } from './delivery.ts'

it.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [301, 'failed'],
  [404, 'failed'],
  [410, 'gone'],
  [500, 'failed'],
  [null, 'failed'],
] as const)('an answer of %s means %s', (status, result) => {
  expect(resultOf(status)).toBe(result)
})

it('next_attempt_at is set only when an attempt follows', () => {
  const delivery: StoredDelivery = {
    id: crypto.randomUUID(),
    webhookId: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    type: 'eval.done',
    payload: {},
    status: 'pending',
    attempts: [],
    dueAt: new Date('2026-11-21T12:00:10Z'),
    createdAt: new Date('2026-11-21T12:00:00Z'),
  }
  const next = (more: Partial<StoredDelivery>, enabled: boolean) =>
    deliveryReply({ ...delivery, ...more }, { enabled }).next_attempt_at
  expect(next({}, true)).toBe('2026-11-21T12:00:10.000Z')
  expect(next({}, false)).toBeNull()
  expect(next({ status: 'delivered', dueAt: null }, true)).toBeNull()
})
