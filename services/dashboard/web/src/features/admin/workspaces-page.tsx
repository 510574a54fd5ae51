import { Button, Text } from '@mantine/core'
import { type AdminWorkspace, changeWorkspace, listAllWorkspaces } from '@ratchet/contracts/dashboard/admin'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { z } from 'zod'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../kit/dialogs/confirm.tsx'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { StateLabel } from '../../kit/state-mark.tsx'
import type { Column } from '../../kit/table/column.ts'
import { TimeText } from '../../kit/time-text.tsx'
import styles from './admin.module.css'
import { AdminList } from './admin-list.tsx'
import { CorrectWallet } from './correct-wallet.tsx'
import { CreateWorkspace } from './create-workspace.tsx'
import { CreditWorkspace } from './credit-workspace.tsx'
import { useAdminList } from './use-admin-list.ts'

type Workspace = z.output<typeof AdminWorkspace>

const route = getRouteApi('/admin/')

export function WorkspacesPage(): ReactNode {
  const { search } = route.useSearch()
  const navigate = useNavigate({ from: '/admin' })
  const query = useAdminList(listAllWorkspaces, search)
  const [credited, setCredited] = useState<Workspace | null>(null)
  const [corrected, setCorrected] = useState<Workspace | null>(null)
  const [changed, setChanged] = useState<Workspace | null>(null)
  const [creates, setCreates] = useState(false)
  return (
    <Page
      title="Workspaces"
      lead="Every workspace of this installation, newest first. What is in them only their members see."
      actions={<Button onClick={() => setCreates(true)}>Create a workspace</Button>}
    >
      <AdminList
        label="Workspaces"
        query={query}
        columns={columnsOf({ onCredit: setCredited, onCorrect: setCorrected, onChange: setChanged })}
        rowKey={({ slug }) => slug}
        search={search}
        onSearch={(next) => void navigate({ search: next === undefined ? {} : { search: next } })}
      />
      <CreateWorkspace opened={creates} onClose={() => setCreates(false)} />
      <CreditWorkspace workspace={credited} onClose={() => setCredited(null)} />
      <CorrectWallet workspace={corrected} onClose={() => setCorrected(null)} />
      <DisableWorkspace workspace={changed} onClose={() => setChanged(null)} />
    </Page>
  )
}

interface DisableWorkspaceProps {
  /** Null when the dialog is closed. */
  readonly workspace: Workspace | null
  readonly onClose: () => void
}

function DisableWorkspace({ workspace, onClose }: DisableWorkspaceProps): ReactNode {
  const act = useAct(changeWorkspace, { changes: [listAllWorkspaces], onDone: onClose })
  const isDisabled = typeof workspace?.disabled_at === 'string'
  return (
    <Confirm
      opened={workspace !== null}
      onClose={onClose}
      title={`${isDisabled ? 'Enable' : 'Disable'} ${workspace?.name ?? ''}?`}
      verb={isDisabled ? 'Enable' : 'Disable'}
      isRunning={act.isPending}
      error={act.error}
      onConfirm={() => workspace && act.mutate({ params: { slug: workspace.slug }, body: { disabled: !isDisabled } })}
    >
      <Text>
        {isDisabled
          ? 'Its keys are valid again, and its members find it again.'
          : 'Every request that begins afterwards with one of its keys is refused, and its members do not find it. What its workers have begun ends. Nothing is deleted.'}
      </Text>
    </Confirm>
  )
}

type Act = 'onCredit' | 'onCorrect' | 'onChange'

function columnsOf({ onCredit, onCorrect, onChange }: Record<Act, (workspace: Workspace) => void>) {
  const columns: readonly Column<Workspace>[] = [
    { id: 'name', header: 'Name', cell: ({ name }) => name },
    { id: 'slug', header: 'Address', onPhone: false, cell: ({ slug }) => <span className="code">{slug}</span> },
    { id: 'owners', header: 'Owners', onPhone: false, cell: ({ owners }) => owners.join(', ') },
    { id: 'members', header: 'Members', isNumber: true, onPhone: false, cell: ({ members }) => count(members) },
    { id: 'keys', header: 'Keys', isNumber: true, onPhone: false, cell: (row) => count(row.active_keys) },
    { id: 'ledger', header: 'Ledger', onPhone: false, cell: ({ ledger }) => ledger },
    {
      id: 'state',
      header: 'State',
      cell: (row) => (row.disabled_at === null ? 'in use' : <StateLabel state="wrong">disabled</StateLabel>),
    },
    { id: 'made', header: 'Made', onPhone: false, cell: ({ created_at: at }) => <TimeText at={at} /> },
    {
      id: 'actions',
      header: '',
      cell: (row) => (
        <div className={styles.acts}>
          <Button variant="subtle" aria-label={`Credit ${row.name}`} onClick={() => onCredit(row)}>
            Credit
          </Button>
          <Button variant="subtle" aria-label={`Correct the wallet of ${row.name}`} onClick={() => onCorrect(row)}>
            Correct
          </Button>
          <Button
            variant="subtle"
            aria-label={`${row.disabled_at === null ? 'Disable' : 'Enable'} ${row.name}`}
            onClick={() => onChange(row)}
          >
            {row.disabled_at === null ? 'Disable' : 'Enable'}
          </Button>
        </div>
      ),
    },
  ]
  return columns
}
