import { leftOut } from './decisions.ts'
import { type GitleaksRule, translateRules } from './translate-rules.ts'

const ending = String.raw`(?:[\x60'"\s;]|\\[nr]|$)`
const assignment = String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
const excluded = Object.values(leftOut)
  .flat()
  .map((id) => ({ id }))

function translate(...rules: GitleaksRule[]) {
  return translateRules([...rules, ...excluded])
}

describe('translateRules', () => {
  it('takes a token apart into its literal beginning and the rest', () => {
    const regex = String.raw`\b(acme_(?:test|live)_(?i)[a-f0-9]{8}-[a-f0-9]{24})${ending}`
    expect(translate({ id: 'acme-key', regex, entropy: 3 }).tokens).toEqual([
      {
        id: 'acme-key',
        kind: 'acme_key',
        prefixes: ['acme_test_', 'acme_live_'],
        characters: '-0123456789ABCDEFabcdef',
        min: 33,
        max: 33,
        pattern: '[0-9A-Fa-f]{8}\\-[0-9A-Fa-f]{24}',
        entropy: 2.5,
      },
    ])
  })

  it('accepts longer runs of a token without a defined end', () => {
    const { tokens } = translate({ id: 'acme-key', regex: 'acme_[a-z]{20,}' })
    expect(tokens).toMatchObject([{ min: 20, pattern: '[a-z]{20,100}' }])
    expect(tokens[0]).not.toHaveProperty('max')
  })

  it('keeps the alternatives of a token apart when they go on differently', () => {
    const { tokens } = translate({ id: 'acme-key', regex: 'ac(?:me_[0-9]{20}|[xy]-[a-z]{30})' })
    expect(tokens.map(({ prefixes, min }) => [prefixes, min])).toEqual([
      [['acx-', 'acy-'], 30],
      [['acme_'], 20],
    ])
  })

  it('requires a token with a short prefix to look generated', () => {
    expect(translate({ id: 'acme-key', regex: 'AC[0-9a-f]{32}' }).tokens).toMatchObject([{ strict: true }])
  })

  it('recognizes a value with a distinctive beginning without the name of its service', () => {
    const regex = String.raw`(?i)[\w.-]{0,50}?(?:acme)${assignment}(ACMK-[a-z]{20})${ending}`
    const { tokens, services } = translate({ id: 'acme-key', regex, keywords: ['acme'] })
    expect(tokens).toMatchObject([{ prefixes: ['ACMK-'], min: 20, max: 20, pattern: '[A-Za-z]{20}' }])
    expect(services).toEqual([])
  })

  it('takes only the name of the service when its values have no beginning of their own', () => {
    const regex = String.raw`(?i)[\w.-]{0,50}?(?:acme)${assignment}([a-z0-9]{32})${ending}`
    const { tokens, services } = translate({ id: 'acme-key', regex, keywords: ['acme', 'acme_corp'] })
    expect(tokens).toEqual([])
    expect(services).toEqual([{ name: 'acme', rules: ['acme-key'] }])
  })

  it('refuses a rule that it can use in no way', () => {
    expect(() => translate({ id: 'acme-key', regex: '[0-9a-f]{32}' })).toThrow('acme-key')
  })

  it('refuses a decision about a rule that does not exist', () => {
    expect(() => translateRules([])).toThrow('No rule is called')
  })
})
