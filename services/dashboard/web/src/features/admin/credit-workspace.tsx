import { creditWorkspace } from '@ratchet/contracts/dashboard/admin'
import type { ReactNode } from 'react'
import { useAct } from '../../api/use-act.ts'
import { moneyText } from '../../kit/money.ts'
import { toast } from '../../kit/toast.tsx'
import { type WalletActProps, WalletDialog, type Workspace } from './wallet-dialog.tsx'
import { WalletForm } from './wallet-form.tsx'

/** Adds money to a wallet that was paid some other way. */
export function CreditWorkspace(props: WalletActProps): ReactNode {
  return (
    <WalletDialog {...props} verb="Credit">
      {(workspace) => <CreditForm workspace={workspace} onClose={props.onClose} />}
    </WalletDialog>
  )
}

interface FormProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

function CreditForm({ workspace: { slug, name }, onClose }: FormProps): ReactNode {
  const act = useAct(creditWorkspace, {
    onDone: ({ credited, balance_nano: balance }) => {
      onClose()
      const what = credited ? `The wallet of ${name} is credited` : 'This reference was credited before'
      toast(`${what}; its balance is ${moneyText(balance, { unit: 'nano', exact: true })}.`)
    },
  })
  return (
    <WalletForm
      verb="Credit"
      referenceHelp="Of the payment, such as inv-17. The same reference is credited once."
      isSending={act.isPending}
      error={act.error}
      onSend={(body, options) => act.mutate({ params: { slug }, body }, options)}
      onClose={onClose}
    />
  )
}
