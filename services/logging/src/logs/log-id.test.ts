import fc from 'fast-check'
import { logIdOf, uuidOfLog } from './log-id.ts'

it('converts a UUID to a public id and back', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => uuidOfLog(logIdOf(uuid)) === uuid))
})

it.each(['', 'log_', 'log_0123', `log_${'g'.repeat(32)}`, `LOG_${'0'.repeat(32)}`, `log_${'0'.repeat(33)}`])(
  'returns null for %j',
  (id) => {
    expect(uuidOfLog(id)).toBeNull()
  },
)
