import { Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core'
import { type Budget, budgetPeriods, budgetScopes, readBudgets } from '@ratchet/contracts/budgets'
import { setBudget } from '@ratchet/contracts/dashboard/budgets'
import type { ReactNode } from 'react'
import { useAct } from '../../../api/use-act.ts'
import { useKeyNames } from '../../../api/use-key-names.ts'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { toast } from '../../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { BudgetValues, budgetBody, budgetValues, newBudget } from './budget-values.ts'
import { periodWords, scopeWords } from './budget-words.ts'

interface SetBudgetDialogProps {
  /** The budget to change; `new` for another one; null when the dialog is closed. */
  readonly edited: Budget | 'new' | null
  readonly onClose: () => void
}

export function SetBudgetDialog({ edited, onClose }: SetBudgetDialogProps): ReactNode {
  return (
    <Modal opened={edited !== null} onClose={onClose} title={edited === 'new' ? 'Set a budget' : 'Change the budget'}>
      {edited !== null && <SetForm old={edited === 'new' ? null : edited} onClose={onClose} />}
    </Modal>
  )
}

function SetForm({ old, onClose }: { readonly old: Budget | null; readonly onClose: () => void }): ReactNode {
  const form = useContractForm<BudgetValues>(BudgetValues, old === null ? newBudget : budgetValues(old))
  const act = useAct(setBudget, {
    changes: [readBudgets],
    onDone: () => {
      onClose()
      toast('The budget is set. It applies within seconds.')
    },
  })
  const send = form.onSubmit((values) =>
    act.mutate({ body: budgetBody(values) }, { onError: (error) => showErrorAt(form, error) }),
  )
  const isOld = old !== null
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <Select
          label="Whose"
          allowDeselect={false}
          disabled={isOld}
          data={budgetScopes.map((value) => ({ value, label: scopeWords[value] }))}
          {...form.getInputProps('scope')}
        />
        <Subject form={form} isOld={isOld} />
        <Select
          label="Period"
          description="In UTC; a week begins on Monday."
          allowDeselect={false}
          disabled={isOld}
          data={budgetPeriods.map((value) => ({ value, label: periodWords[value] }))}
          {...form.getInputProps('period')}
        />
        <TextInput label="US dollars" placeholder="25" required data-autofocus {...form.getInputProps('amount')} />
        <TextInput
          label="Cheaper model"
          description="A model or alias that answers while its maximum cost fits. Empty: requests are refused."
          {...form.getInputProps('fallback')}
        />
        <TextInput
          label="Warn from, in US dollars"
          description="The event budget.threshold is sent once in each period. Empty for none."
          placeholder="20"
          {...form.getInputProps('warn')}
        />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Set
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface SubjectProps {
  readonly form: ReturnType<typeof useContractForm<BudgetValues>>
  readonly isOld: boolean
}

function Subject({ form, isOld }: SubjectProps): ReactNode {
  const { scope } = form.values
  const keyNames = useKeyNames(scope === 'key')
  if (scope === 'workspace') return null
  if (scope === 'key') {
    const keys = [...keyNames].map(([value, label]) => ({ value, label }))
    return (
      <Select
        label={scopeWords.key}
        required
        searchable
        disabled={isOld}
        data={[{ value: '*', label: 'Each key for itself' }, ...keys]}
        {...form.getInputProps('subject')}
      />
    )
  }
  return (
    <TextInput
      label={scopeWords[scope]}
      description="As requests name it; * for each one for itself."
      required
      disabled={isOld}
      {...form.getInputProps('subject')}
    />
  )
}
