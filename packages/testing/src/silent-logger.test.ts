import { silentLogger } from './silent-logger.ts'

it('has every level off, also in child loggers', () => {
  expect(silentLogger.isLevelEnabled('fatal')).toBe(false)
  expect(silentLogger.child({ a: 1 }).isLevelEnabled('fatal')).toBe(false)
})
