import { clockTime, exactTime, relativeTime } from './time.ts'

const at = '2026-11-20T10:00:00.000Z'
const names = ['DateTimeFormat', 'RelativeTimeFormat'] as const
const original = { ...Object.fromEntries(names.map((name) => [name, Intl[name]])) }

afterEach(() => void Object.assign(Intl, original))

it.each([
  ['a time to the second', () => exactTime(at)],
  ['a time of the day', () => clockTime(Date.parse(at))],
  ['a distance', () => relativeTime(at, Date.parse(at) + 7_200_000)],
])('makes no format for each text, because a page writes hundreds: %s', (_name, write) => {
  const made: string[] = []
  for (const name of names) {
    Object.assign(Intl, {
      [name]: new Proxy(Intl[name], {
        construct(Format, options) {
          made.push(name)
          return Reflect.construct(Format, options)
        },
      }),
    })
  }
  write()
  expect(made).toEqual([])
})
