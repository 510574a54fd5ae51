import { Button, Group } from '@mantine/core'
import type { Budget } from '@ratchet/contracts/budgets'
import { moneyText } from '../../../kit/money.ts'
import { StateLabel } from '../../../kit/state-mark.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { periodWords, whoseText } from './budget-words.ts'

interface BudgetColumns {
  readonly keyNames: ReadonlyMap<string, string>
  readonly onChange: (budget: Budget) => void
  readonly onRemove: (budget: Budget) => void
}

export function budgetColumns({ keyNames, onChange, onRemove }: BudgetColumns): readonly Column<Budget>[] {
  const nameOf = (budget: Budget) => whoseText(budget, keyNames)
  return [
    { id: 'whose', header: 'Whose', cell: nameOf, isFixed: true },
    {
      id: 'amount',
      header: 'Budget',
      isNumber: true,
      cell: ({ amount_nano: nano, period }) => `${exact(nano)} ${periodWords[period]}`,
    },
    { id: 'spent', header: 'Spent now', isNumber: true, cell: (budget) => spentText(budget, keyNames) },
    { id: 'state', header: 'State', cell: stateOf },
    { id: 'then', header: 'When it is spent', cell: thenText, onPhone: false },
    { id: 'warn', header: 'Warns from', isNumber: true, cell: warnText, onPhone: false },
    {
      id: 'actions',
      header: '',
      width: 180,
      cell: (budget) => (
        <Group gap={2} justify="flex-end">
          <Button
            variant="subtle"
            aria-label={`Change the budget of ${nameOf(budget)}`}
            onClick={() => onChange(budget)}
          >
            Change
          </Button>
          <Button
            variant="subtle"
            color="red"
            aria-label={`Remove the budget of ${nameOf(budget)}`}
            onClick={() => onRemove(budget)}
          >
            Remove
          </Button>
        </Group>
      ),
    },
  ]
}

const exact = (nano: string) => moneyText(nano, { unit: 'nano', exact: true })

/** Of each one for itself, who spent most. */
function spentText({ spend, scope }: Budget, keyNames: ReadonlyMap<string, string>) {
  const [most] = spend
  if (most === undefined) return exact('0')
  const amount = exact(most.spent_nano)
  if (most.subject === '') return amount
  const name = scope === 'key' ? (keyNames.get(most.subject) ?? most.subject) : most.subject
  return `${amount} by ${name}`
}

function stateOf({ amount_nano: amount, warn_at_nano: warnAt, spend }: Budget) {
  const [most] = spend
  const used = most === undefined ? 0n : BigInt(most.spent_nano) + BigInt(most.held_nano)
  if (used >= BigInt(amount)) return <StateLabel state="wrong">spent</StateLabel>
  if (warnAt !== null && used >= BigInt(warnAt)) return <StateLabel state="open">near its end</StateLabel>
  return <StateLabel state="proven">open</StateLabel>
}

function thenText({ fallback_model: fallback }: Budget) {
  return fallback === null ? 'requests are refused' : `${fallback} answers while it fits`
}

function warnText({ warn_at_nano: nano }: Budget) {
  return nano === null ? <span className="dimmed">never</span> : exact(nano)
}
