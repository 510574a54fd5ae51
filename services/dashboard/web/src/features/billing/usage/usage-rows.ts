import type { Statement, Usage } from '@ratchet/contracts/billing'
import type { z } from 'zod'
import { moneyText } from '../../../kit/money.ts'
import { count } from '../../../kit/numbers.ts'
import type { Column } from '../../../kit/table/column.ts'

type Reply =
  | Pick<z.output<typeof Usage>, 'groups' | 'others' | 'unattributed_nano'>
  | z.output<typeof Statement>['usage']

interface UsageRow {
  readonly key: string
  readonly name: string
  /** Null for the unattributed rest, which is known as an amount only. */
  readonly sums: { readonly requests: number; readonly prompt: number; readonly completion: number } | null
  readonly costNano: string
}

/** The same rows as in the CSV: groups, what is beyond them, and the unattributed rest. They add up to the charges. */
export function usageRows(
  { groups, others, unattributed_nano: unattributed }: Reply,
  nameOf: (group: string | null) => string,
): readonly UsageRow[] {
  const rows = groups.map((each) => rowOf(`group:${each.group ?? ''}`, nameOf(each.group), each))
  const rest = others === null ? [] : [rowOf('others', `${count(others.groups)} others`, others)]
  return [...rows, ...rest, { key: 'unattributed', name: 'unattributed', sums: null, costNano: unattributed }]
}

type Sums = Pick<
  z.output<typeof Usage>['groups'][number],
  'requests' | 'prompt_tokens' | 'completion_tokens' | 'cost_nano'
>

function rowOf(key: string, name: string, sums: Sums): UsageRow {
  const { requests, prompt_tokens: prompt, completion_tokens: completion, cost_nano: costNano } = sums
  return { key, name, sums: { requests, prompt, completion }, costNano }
}

const countOr = (value: number | undefined) => (value === undefined ? '–' : count(value))

export function usageColumns(header: string): readonly Column<UsageRow>[] {
  return [
    { id: 'name', header, cell: ({ name }) => name },
    { id: 'requests', header: 'Requests', isNumber: true, cell: ({ sums }) => countOr(sums?.requests) },
    { id: 'prompt', header: 'Tokens in', isNumber: true, onPhone: false, cell: ({ sums }) => countOr(sums?.prompt) },
    {
      id: 'completion',
      header: 'Tokens out',
      isNumber: true,
      onPhone: false,
      cell: ({ sums }) => countOr(sums?.completion),
    },
    {
      id: 'cost',
      header: 'Charged',
      isNumber: true,
      cell: ({ costNano }) => moneyText(costNano, { unit: 'nano', exact: true }),
    },
  ]
}
