import { EventEmitter } from 'node:events'
import { mock } from 'node:test'
import type { ServedResponse } from '@ratchet/service-kit/http/served'
import { createPacedWriter } from './paced-writer.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

/** A writer to a client that reads nothing until it is told to. */
function writerTo({ hasRoom }: { readonly hasRoom: boolean }) {
  const said: string[] = []
  const response = Object.assign(new EventEmitter(), { write: () => false })
  const writer = createPacedWriter({
    response: response as unknown as ServedResponse,
    slowReaderMs: 60_000,
    room: {
      mayAdd: (bytes) => {
        said.push(bytes > 100_000 ? 'reserve' : 'reserve little')
        return hasRoom
      },
      leave: () => void said.push('leave'),
    },
    onFull: () => void said.push('full'),
    onDrained: () => void said.push('drained'),
    onStalled: () => void said.push('stalled'),
  })
  return { writer, said, read: () => response.emit('drain') }
}

it('reserves memory for a client that does not read, and releases it when it has read', () => {
  const { writer, said, read } = writerTo({ hasRoom: true })
  writer.write(Buffer.from('a'))
  writer.write(Buffer.from('b'))
  expect(said).toEqual(['reserve', 'full'])
  read()
  expect(said).toEqual(['reserve', 'full', 'leave', 'drained'])
  writer.write(Buffer.from('c'))
  writer.stop()
  expect(said.slice(4)).toEqual(['reserve', 'full', 'leave'])
})

it.each([
  [true, 60_000],
  [false, 5_000],
])('ends a client that does not read (share of its workspace: %s) after %i ms', (hasRoom, afterMs) => {
  const { writer, said } = writerTo({ hasRoom })
  writer.write(Buffer.from('a'))
  mock.timers.tick(afterMs - 1)
  expect(said).not.toContain('stalled')
  mock.timers.tick(1)
  expect(said).toContain('stalled')
})

it('reads nothing for a writer that was stopped', () => {
  const { writer, said, read } = writerTo({ hasRoom: true })
  writer.write(Buffer.from('a'))
  writer.stop()
  mock.timers.tick(60_000)
  read()
  expect(said).toEqual(['reserve', 'full', 'leave'])
})
