import { CriterionCheck } from '@ratchet/contracts/criterion-checks'
import { checkTypes, draftOf, newCheck, readDraft } from './check-draft.ts'

const checks: readonly object[] = [
  { type: 'json', negate: true },
  { type: 'json_schema', schema: { required: ['city'] } },
  { type: 'contains', values: ['refund', 'two words'] },
  { type: 'regex', pattern: '[a-z]+' },
  { type: 'length', min: 2, max: 9 },
  { type: 'characters', max: 200 },
  { type: 'tool_called', name: 'search' },
  { type: 'tool_called', name: 'search', args: { q: 'x' } },
  { type: 'no_tool_call' },
  { type: 'script', source: 'const check = () => true' },
]

it.each(checks)('shows %j and reads the same again', (given) => {
  const check = CriterionCheck.parse(given)
  expect(readDraft(draftOf(check))).toEqual({ kind: 'check', check })
})

it('offers every type', () => {
  const offered = checkTypes.map(([type]) => type)
  expect(new Set(offered)).toEqual(new Set(CriterionCheck.options.map(({ shape }) => shape.type.value)))
  expect(readDraft(newCheck('script'))).toMatchObject({ kind: 'check' })
})

it.each([
  ['json_schema', '{'],
  ['json_schema', '[]'],
  ['tool_called', 'x'],
  ['regex', ''],
  ['contains', '\n'],
] as const)('says that a %s of %j is wrong', (type, text) => {
  expect(readDraft({ ...newCheck(type), name: 'search', text }).kind).toBe('wrong')
})
