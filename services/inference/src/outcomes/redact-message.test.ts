import { redactMessage } from './redact-message.ts'

const request = Buffer.from(
  JSON.stringify({ messages: [{ content: 'Line one of my diary.\nIt says "something private" here.' }] }),
)

it('keeps what says nothing about the request', () => {
  expect(redactMessage('The model is overloaded.', request)).toBe('The model is overloaded.')
  expect(redactMessage('messages[3].content must be a string', request)).toBe('messages[3].content must be a string')
})

it.each(['Bad: Line one of my diary.\nIt says', 'It says "something private" here.', 'x'.repeat(900)])(
  'does not keep what repeats the request: %s',
  (message) => {
    const sent = message.startsWith('x') ? Buffer.from(`{"messages":"${message}"}`) : request
    expect(redactMessage(message, sent)).toMatch(/not stored/)
  },
)

it('removes keys and addresses, and is short and storable', () => {
  expect(redactMessage('key sk-abc123def456ghi789jkl of a@b.example', null)).toBe('key [redacted] of [redacted]')
  expect(redactMessage(`${'long words '.repeat(200)}`, null).length).toBeLessThanOrEqual(501)
  expect(redactMessage('a\0b\ud800c', null)).toBe('ab\ufffdc')
})

it('does not search a very large request, and then keeps no long message', () => {
  expect(redactMessage('A message of more than a few words.', Buffer.alloc(2_000_000))).toMatch(/not stored/)
})
