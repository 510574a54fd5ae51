import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core'
import { listAllWorkspaces } from '@ratchet/contracts/dashboard/admin'
import { changeWorkspaceLimits } from '@ratchet/contracts/dashboard/admin-limits'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { count } from '../../kit/numbers.ts'
import { Page } from '../../kit/page.tsx'
import { ErrorState } from '../../kit/states/error-state.tsx'
import type { Column } from '../../kit/table/column.ts'
import { toast } from '../../kit/toast.tsx'
import { showErrorAt, useContractForm } from '../../kit/use-contract-form.ts'
import { AdminList } from './admin-list.tsx'
import { LimitValues, limitChanges, limitValues } from './limit-values.ts'
import { useAdminList } from './use-admin-list.ts'
import type { Workspace } from './wallet-dialog.tsx'

const route = getRouteApi('/admin/limits')

/** What each workspace may use in a minute. */
export function LimitsPage(): ReactNode {
  const { search } = route.useSearch()
  const navigate = useNavigate({ from: '/admin/limits' })
  const query = useAdminList(listAllWorkspaces, search)
  const [changed, setChanged] = useState<Workspace | null>(null)
  return (
    <Page
      title="Limits"
      lead="What each workspace may use in a minute. Its owners change the first two as well; guarded calls create paid work or files."
    >
      <AdminList
        label="Limits"
        query={query}
        columns={columnsOf(setChanged)}
        rowKey={({ slug }) => slug}
        search={search}
        onSearch={(next) => void navigate({ search: next === undefined ? {} : { search: next } })}
      />
      <Modal opened={changed !== null} onClose={() => setChanged(null)} title={`Limits of ${changed?.name ?? ''}`}>
        {changed !== null && <LimitsForm workspace={changed} onClose={() => setChanged(null)} />}
      </Modal>
    </Page>
  )
}

interface LimitsFormProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

const fields = [
  ['requests_per_minute', 'Requests per minute', 'Empty for no limit.'],
  ['tokens_per_minute', 'Tokens per minute', 'Empty for no limit.'],
  ['guarded_calls_per_minute', 'Guarded calls per minute', 'Empty for the default of the installation.'],
] as const

function LimitsForm({ workspace: { slug, name, limits }, onClose }: LimitsFormProps): ReactNode {
  const form = useContractForm(LimitValues, limitValues(limits))
  const act = useAct(changeWorkspaceLimits, {
    changes: [listAllWorkspaces],
    onDone: () => {
      onClose()
      toast(`The limits of ${name} are changed.`)
    },
  })
  const send = form.onSubmit((values) =>
    act.mutate(
      { params: { slug }, body: limitChanges(limits, values) },
      { onError: (error) => showErrorAt(form, error) },
    ),
  )
  return (
    <form onSubmit={send}>
      <Stack gap={12}>
        <Text>The owners read about it, and who did it, in the audit of the workspace.</Text>
        {fields.map(([field, label, description]) => (
          <NumberInput
            key={field}
            label={label}
            description={description}
            min={1}
            allowDecimal={false}
            hideControls
            {...form.getInputProps(field)}
          />
        ))}
        {act.error && <ErrorState error={act.error} />}
        <Group justify="flex-end" gap={8}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!form.isDirty()} loading={act.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function columnsOf(onChange: (workspace: Workspace) => void): readonly Column<Workspace>[] {
  const limit = (value: number | null, otherwise: string) => (value === null ? otherwise : count(value))
  return [
    { id: 'name', header: 'Workspace', cell: ({ name }) => name },
    {
      id: 'requests',
      header: 'Requests',
      isNumber: true,
      onPhone: false,
      cell: ({ limits }) => limit(limits.requests_per_minute, 'no limit'),
    },
    {
      id: 'tokens',
      header: 'Tokens',
      isNumber: true,
      onPhone: false,
      cell: ({ limits }) => limit(limits.tokens_per_minute, 'no limit'),
    },
    {
      id: 'guarded',
      header: 'Guarded',
      isNumber: true,
      cell: ({ limits }) => limit(limits.guarded_calls_per_minute, 'default'),
    },
    {
      id: 'change',
      header: '',
      cell: (row) => (
        <Button variant="subtle" aria-label={`Change the limits of ${row.name}`} onClick={() => onChange(row)}>
          Change
        </Button>
      ),
    },
  ]
}
