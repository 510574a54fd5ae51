import type { Body } from '../../wire/dialect.ts'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { functionRules, namedFunctionRules, toolChoiceRules } from '../common-members.ts'
import { toolRules } from './chat-parameters.ts'
import { objectAt, textAt } from './convert-parts.ts'

export interface ConvertedTools {
  readonly tools?: readonly object[]
  readonly toolConfig?: object
}

interface Declared {
  readonly declaration: object
  readonly isStrict: boolean
}

/**
 * The functions that a model may call, and whether it must.
 *
 * @throws Refusal for a tool or a choice that Google does not have
 */
export function convertTools({ tools, tool_choice: choice }: Body): ConvertedTools {
  if (tools !== null && tools !== undefined && !Array.isArray(tools)) throw invalid('tools', 'must be an array')
  const declared = (tools ?? []).map((tool, index) => declare(tool, `tools.${index}`))
  const isStrict = declared.some((each) => each.isStrict)
  const config = convertChoice(choice, isStrict)
  if (declared.length === 0) {
    if (config?.mode === 'ANY') throw invalid('tool_choice', 'must not demand a tool when there are no tools')
    return {}
  }
  return {
    tools: [{ functionDeclarations: declared.map(({ declaration }) => declaration) }],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  }
}

function declare(value: unknown, path: string): Declared {
  const tool = objectAt(value, path)
  checkMembers(tool, path, toolRules)
  const declared = objectAt(tool.function, `${path}.function`)
  checkMembers(declared, `${path}.function`, functionRules)
  const { description, parameters, strict } = declared
  return {
    declaration: {
      name: textAt(declared.name, `${path}.function.name`),
      description: description ?? undefined,
      parametersJsonSchema: parameters ?? undefined,
    },
    isStrict: strict === true,
  }
}

interface CallingConfig {
  readonly mode: 'NONE' | 'AUTO' | 'ANY' | 'VALIDATED'
  readonly allowedFunctionNames?: readonly string[]
}

/** Null for Google's default. `VALIDATED` leaves the choice to the model, but restricts calls to their schema. */
function convertChoice(choice: unknown, isStrict: boolean): CallingConfig | null {
  switch (choice ?? 'auto') {
    case 'auto':
      return isStrict ? { mode: 'VALIDATED' } : null
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
  }
  if (typeof choice === 'string') throw unsupported('tool_choice')
  const named = objectAt(choice, 'tool_choice')
  checkMembers(named, 'tool_choice', toolChoiceRules)
  const requested = objectAt(named.function, 'tool_choice.function')
  checkMembers(requested, 'tool_choice.function', namedFunctionRules)
  return { mode: 'ANY', allowedFunctionNames: [textAt(requested.name, 'tool_choice.function.name')] }
}
