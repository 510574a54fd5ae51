import { silentLogger } from './silent-logger.ts'

it('has every level off, its children too', () => {
  expect(silentLogger.isLevelEnabled('fatal')).toBe(false)
  expect(silentLogger.child({ a: 1 }).isLevelEnabled('fatal')).toBe(false)
})
