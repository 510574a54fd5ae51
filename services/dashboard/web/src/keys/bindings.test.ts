import { bindingsOf, commandsByKeys, conflictsOf, isSingleKey, keyCaps, keysOfPress } from './bindings.ts'
import { commonCommands } from './commands.ts'

const plain = { single_keys: true, shortcuts: {} }
const active = (preferences: typeof plain, id: string) =>
  bindingsOf(commonCommands, preferences).find((binding) => binding.id === id)?.active

it('has no two commands with the same keys by default', () => {
  const keys = commonCommands.map((command) => command.keys)
  expect(new Set(keys).size).toBe(keys.length)
})

it('knows that pages share usual keys, until a person gives a command those of another', () => {
  const more = [...commonCommands, { id: 'review.fail', keys: 'f', label: 'Fail', group: 'Grading' }]
  expect([...conflictsOf(bindingsOf(more, plain))]).toEqual([])
  const changed = bindingsOf(more, { ...plain, shortcuts: { create: 'f' } })
  expect(conflictsOf(changed).get('create')).toEqual(['grade.fail', 'review.fail'])
})

it('uses the keys that a person chose, and none where they chose none', () => {
  expect(active({ ...plain, shortcuts: { filter: 'f', create: '' } }, 'filter')).toBe('f')
  expect(active({ ...plain, shortcuts: { create: '' } }, 'create')).toBeNull()
})

it('can switch single letters off, and keeps those with a modifier', () => {
  const preferences = { ...plain, single_keys: false }
  expect(active(preferences, 'row.next')).toBeNull()
  expect(active(preferences, 'keys')).toBeNull()
  expect(active(preferences, 'palette')).toBe('$mod+k')
  expect(active(preferences, 'close')).toBe('Escape')
})

it('finds commands with the same keys, and sequences that begin with the keys of another', () => {
  const bindings = bindingsOf(commonCommands, { ...plain, shortcuts: { filter: 'j', palette: 'c d' } })
  expect(conflictsOf(bindings)).toEqual(
    new Map([
      ['palette', ['create']],
      ['create', ['palette']],
      ['filter', ['row.next']],
      ['row.next', ['filter']],
    ]),
  )
})

it('tries sequences before single keys, and knows all commands of the same keys', () => {
  const command = (id: string, keys: string) => ({ id, keys, label: '', group: '' })
  const commands = [command('pass', 'p'), command('jump', 'g p'), command('play', 'p'), command('none', '')]
  const found = commandsByKeys(bindingsOf(commands, plain)).map(([keys, some]) => [keys, some.map(({ id }) => id)])
  expect(found).toEqual([
    ['g p', ['jump']],
    ['p', ['pass', 'play']],
  ])
})

it.each([
  ['g l', true],
  ['Shift+?', true],
  ['$mod+k', false],
  ['Escape', false],
])('%s is made of single keys: %s', (keys, single) => {
  expect(isSingleKey(keys)).toBe(single)
})

it('shows keys as they are printed on the keyboard', () => {
  expect(keyCaps('$mod+k', true)).toEqual([['⌘', 'k']])
  expect(keyCaps('$mod+Enter', false)).toEqual([['Ctrl', '↵']])
  expect(keyCaps('g l', false)).toEqual([['g'], ['l']])
  expect(keyCaps('Shift+?', false)).toEqual([['?']])
  expect(keyCaps('Shift+f', false)).toEqual([['Shift', 'f']])
})

it('reads a pressed key as a binding', () => {
  const press = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
  expect(keysOfPress({ ...press, key: 'Q' })).toBe('q')
  expect(keysOfPress({ ...press, key: 'K', ctrlKey: true, shiftKey: true })).toBe('$mod+Shift+k')
  expect(keysOfPress({ ...press, key: 'Shift', shiftKey: true })).toBeNull()
})
