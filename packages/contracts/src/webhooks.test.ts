import { createWebhook } from './webhooks.ts'

const webhook = (secret: string) => ({ url: 'https://example.com/hook', events: ['eval.done'], secret })

it('accepts a secret of 24 to 64 bytes, and no other', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`
  const isAccepted = (secret: string) => createWebhook.body.safeParse(webhook(secret)).success
  expect([23, 24, 64, 65].map((bytes) => isAccepted(secretOf(bytes)))).toEqual([false, true, true, false])
  expect(isAccepted(`${secretOf(32)}=`)).toBe(false)
})

it('refuses a long secret quickly', () => {
  const hostile = webhook(`whsec_${'='.repeat(1_000_000)}x`)
  const from = performance.now()
  expect(createWebhook.body.safeParse(hostile).success).toBe(false)
  expect(performance.now() - from).toBeLessThan(500)
})
