import { actKeyFor } from './act-key.ts'

const counter = () => {
  let made = 0
  return () => `key-${++made}`
}

it('stays the same while the content does, so that a second click acts once', () => {
  const makeKey = counter()
  const first = actKeyFor(null, { body: { amount: '5' } }, makeKey)
  expect(actKeyFor(first, { body: { amount: '5' } }, makeKey)).toBe(first)
})

it('changes with the content', () => {
  const makeKey = counter()
  const first = actKeyFor(null, { body: { amount: '5' } }, makeKey)
  expect(actKeyFor(first, { body: { amount: '6' } }, makeKey).key).not.toBe(first.key)
})

it('is made for an action without input too', () => {
  expect(actKeyFor(null, undefined, counter()).key).toBe('key-1')
})
