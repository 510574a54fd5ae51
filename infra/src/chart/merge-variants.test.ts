import { parse } from 'yaml'
import { mergeVariants } from './merge-variants.ts'
import { printTemplate, type Template } from './template.ts'

const enabled = (name: string) => `(index $.Values "components" "${name}" "enabled")`
const merge = (base: Template, nodes: Readonly<Record<string, Template>>) =>
  mergeVariants(
    base,
    Object.entries(nodes).map(([component, node]) => ({ component, node })),
    'it',
  )

it('gives a field that a component adds or removes a condition', () => {
  expect(merge({ a: 1, b: 2 }, { keda: { b: 2 }, sip: { a: 1, b: 2, c: 3 } })).toEqual({
    a: { $if: `not (${enabled('keda')})`, $then: 1 },
    b: 2,
    c: { $if: enabled('sip'), $then: 3 },
  })
})

it('gives items before and after those of the base a condition, once when two components add the same', () => {
  const merged = merge(['x'], { one: ['new', 'x'], two: ['new', 'x', 'last'] })

  expect(merged).toEqual([
    { $if: `or ${enabled('one')} ${enabled('two')}`, $then: 'new' },
    'x',
    { $if: enabled('two'), $then: 'last' },
  ])
})

it.each<[string, Template, Readonly<Record<string, Template>>]>([
  ['another value', { a: 1 }, { one: { a: 2 } }],
  ['another item', ['x', 'y'], { one: ['x', 'z', 'y'] }],
  ['different new values', {}, { one: { a: 1 }, two: { a: 2 } }],
])('refuses %s, which needs a value of the chart', (_name, base, nodes) => {
  expect(() => merge(base, nodes)).toThrow(/one/)
})

it('prints texts so that YAML 1.1 and Helm read what was meant', () => {
  const node = {
    on: 'off',
    port: '8080',
    lines: 'a\n  b\n',
    spaced: '  x\ny',
    empty: [],
    none: {},
    list: [{ a: null }, ['b']],
  }

  expect(parse(printTemplate(node), { version: '1.1' })).toEqual(node)
  expect(printTemplate({ text: 'a {{ $labels.x }}' })).toBe('text: a {{ "{{" }} $labels.x }}\n')
  expect(printTemplate({ a: { $helm: 'toJson 1' }, b: { $if: 'x', $then: 2 } })).toBe(
    'a: {{ toJson 1 }}\n{{- if x }}\nb: 2\n{{- end }}\n',
  )
})
