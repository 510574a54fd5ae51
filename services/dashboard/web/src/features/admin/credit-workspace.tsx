import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type AdminWorkspace, creditWorkspace } from '@ratchet/contracts/dashboard/admin'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { useAct } from '../../api/use-act.ts'
import { nanoOfDollars } from '../../kit/dollars.ts'
import { moneyText } from '../../kit/money.ts'
import { ErrorState } from '../../kit/states/error-state.tsx'
import { toast } from '../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'

type Workspace = z.output<typeof AdminWorkspace>

const Values = z.object({
  amount: z.string(),
  reference: creditWorkspace.body.shape.reference,
  reason: creditWorkspace.body.shape.reason,
})

interface CreditWorkspaceProps {
  /** Null when the dialog is closed. */
  readonly workspace: Workspace | null
  readonly onClose: () => void
}

/** Adds money to a wallet that was paid some other way. */
export function CreditWorkspace({ workspace, onClose }: CreditWorkspaceProps): ReactNode {
  return (
    <Modal opened={workspace !== null} onClose={onClose} title={`Credit the wallet of ${workspace?.name ?? ''}`}>
      {workspace !== null && <CreditForm workspace={workspace} onClose={onClose} />}
    </Modal>
  )
}

function CreditForm({
  workspace,
  onClose,
}: {
  readonly workspace: Workspace
  readonly onClose: () => void
}): ReactNode {
  const { slug, name } = workspace
  const form = useContractForm(Values, {
    amount: '',
    reference: '',
    reason: '',
  })
  const act = useAct(creditWorkspace, {
    onDone: ({ credited, balance_nano: balance }) => {
      onClose()
      const what = credited ? `The wallet of ${name} is credited` : 'This reference was credited before'
      toast(`${what}; its balance is ${moneyText(balance, { unit: 'nano', exact: true })}.`)
    },
  })
  const send = form.onSubmit(({ amount, reference, reason }) => {
    const nano = nanoOfDollars(amount)
    if (nano === null) return form.setFieldError('amount', 'This must be an amount such as 25.')
    act.mutate(
      { params: { slug }, body: { amount_nano: nano, reference, reason } },
      { onError: (error) => showErrorAt(form, error) },
    )
  })
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <Text>The owners read about it, and who did it, in the audit of the workspace.</Text>
        <TextInput
          label="Amount in US dollars"
          inputMode="decimal"
          required
          data-autofocus
          {...form.getInputProps('amount')}
        />
        <TextInput
          label="Reference"
          description="Of the payment, such as inv-17. The same reference is credited once."
          required
          {...form.getInputProps('reference')}
        />
        <TextInput label="Reason" description="For the ledger." required {...form.getInputProps('reason')} />
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={act.isPending}>
            Credit
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
