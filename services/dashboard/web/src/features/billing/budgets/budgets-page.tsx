import { Button, Group, Text } from '@mantine/core'
import { type Budget, readBudgets } from '@ratchet/contracts/budgets'
import { removeBudget } from '@ratchet/contracts/dashboard/budgets'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { useKeyNames } from '../../../api/use-key-names.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Confirm } from '../../../kit/dialogs/confirm.tsx'
import { Page } from '../../../kit/page.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { budgetColumns } from './budget-columns.tsx'
import { whoseText } from './budget-words.ts'
import { SetBudgetDialog } from './set-budget.tsx'

export function BudgetsPage(): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [edited, setEdited] = useState<Budget | 'new' | null>(null)
  useKey('create', () => setEdited('new'), { enabled: reason === null })
  return (
    <Page
      title="Budgets"
      lead="What may be spent in a period. The maximum cost of a request must fit before a model is called, so no budget is exceeded."
      actions={reason === null ? <Button onClick={() => setEdited('new')}>Set a budget</Button> : undefined}
    >
      {reason === null ? <BudgetList onEdit={setEdited} /> : <Notice state="none">{reason}</Notice>}
      <SetBudgetDialog edited={edited} onClose={() => setEdited(null)} />
    </Page>
  )
}

function BudgetList({ onEdit }: { readonly onEdit: (budget: Budget | 'new') => void }): ReactNode {
  const budgets = useEndpoint(readBudgets, {}, { topics: ['wallet'] })
  const keyNames = useKeyNames(true)
  const [removed, setRemoved] = useState<Budget | null>(null)
  return (
    <>
      <Loaded query={budgets}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No budgets" action={<Button onClick={() => onEdit('new')}>Set a budget</Button>}>
              Requests are limited by the wallet alone.
            </EmptyState>
          ) : (
            <DataTable
              label="Budgets"
              columns={budgetColumns({ keyNames, onChange: onEdit, onRemove: setRemoved })}
              rows={data}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      <RemoveBudget removed={removed} keyNames={keyNames} onClose={() => setRemoved(null)} />
    </>
  )
}

interface RemoveBudgetProps {
  readonly removed: Budget | null
  readonly keyNames: ReadonlyMap<string, string>
  readonly onClose: () => void
}

function RemoveBudget({ removed, keyNames, onClose }: RemoveBudgetProps): ReactNode {
  const act = useAct(removeBudget, { changes: [readBudgets], onDone: onClose })
  return (
    <Confirm
      opened={removed !== null}
      onClose={onClose}
      title={`Remove the budget of ${removed === null ? '' : whoseText(removed, keyNames).toLowerCase()}?`}
      verb="Remove"
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => removed && act.mutate({ params: { id: removed.id } })}
    >
      <Group>
        <Text>Requests that it refused are served again. What was spent remains in the ledger.</Text>
      </Group>
    </Confirm>
  )
}
