import { createStreamReader } from './event-stream.ts'

it('reads events that arrive in pieces', () => {
  const read = createStreamReader()
  expect(read('event: change\nda')).toEqual([])
  expect(read('ta: {"topic":"wallet"}\n\n: beat\n\n')).toEqual([
    { kind: 'event', name: 'change', data: '{"topic":"wallet"}' },
    { kind: 'comment' },
  ])
})

it('joins the lines of one event, and reads line ends of Windows', () => {
  expect(createStreamReader()('data: a\r\ndata: b\r\n\r\n')).toEqual([{ kind: 'event', name: 'message', data: 'a\nb' }])
})

it('ignores other fields', () => {
  expect(createStreamReader()('retry: 3000\n\n')).toEqual([])
})
