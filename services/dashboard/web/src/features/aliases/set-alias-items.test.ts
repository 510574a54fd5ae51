import { aliasSettings } from './set-alias-items.ts'

const aliases = [
  { name: 'support', target_model: 'sim/small' },
  { name: 'sales', target_model: 'sim/large' },
]
const models = [{ id: 'sim/small' }, { id: 'sim/large' }, { id: 'acme/large' }]
const found = (typed: string) => aliasSettings(typed, aliases, models).map(({ name, model }) => `${name} ${model}`)

it.each([
  ['set alias support to sim/l', ['support sim/large']],
  ['Set alias sup', ['support sim/large', 'support acme/large']],
  ['set support to acme', ['support acme/large']],
  ['set alias support to sim/small', []],
  ['set alias ', ['support sim/large', 'support acme/large', 'sales sim/small', 'sales acme/large']],
  ['settings', []],
  ['billing', []],
])('understands %j', (typed, settings) => {
  expect(found(typed)).toEqual(settings)
})
