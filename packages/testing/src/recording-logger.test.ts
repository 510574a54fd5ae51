import { recordingLogger } from './recording-logger.ts'

it('records every line with its level, fields and message', () => {
  const { logger, lines } = recordingLogger()

  logger.error({ requestId: 'r1' }, 'it broke')
  logger.child({ job: 7 }).trace('fine')

  expect(lines).toEqual([
    { level: 50, requestId: 'r1', msg: 'it broke' },
    { level: 10, job: 7, msg: 'fine' },
  ])
})
