import { Button } from '@mantine/core'
import { listPersonErasures, type PersonErasure } from '@ratchet/contracts/dashboard/erasures'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useKey } from '../../../keys/key-context.ts'
import { Page } from '../../../kit/page.tsx'
import { SidePanel } from '../../../kit/side-panel.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { EmptyState } from '../../../kit/states/empty-state.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import type { Column } from '../../../kit/table/column.ts'
import { DataTable } from '../../../kit/table/data-table.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { ErasureDetails } from './erasure-details.tsx'
import { stateWords, totalOf, whomText } from './erasure-words.ts'
import { RequestErasure } from './request-erasure.tsx'

export function ErasuresPage(): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [isAsking, setAsking] = useState(false)
  const [openId, setOpenId] = useState<string | null>(null)
  useKey('create', () => setAsking(true), { enabled: reason === null })
  const begin = <Button onClick={() => setAsking(true)}>Find an end user</Button>
  return (
    <Page
      title="Erasure"
      lead="Find all that belongs to an end user of your application, and erase it with a receipt. Nothing is changed before you confirm."
      actions={reason === null ? begin : undefined}
    >
      {reason === null ? (
        <ErasureList begin={begin} openId={openId} onOpen={setOpenId} />
      ) : (
        <Notice state="none">{reason}</Notice>
      )}
      <RequestErasure opened={isAsking} onClose={() => setAsking(false)} onBegun={setOpenId} />
    </Page>
  )
}

interface ErasureListProps {
  readonly begin: ReactNode
  readonly openId: string | null
  readonly onOpen: (id: string | null) => void
}

function ErasureList({ begin, openId, onOpen }: ErasureListProps): ReactNode {
  const erasures = useEndpoint(listPersonErasures)
  const rows = erasures.data?.data ?? []
  const open = rows.find(({ id }) => id === openId) ?? null
  usePolling(
    erasures.refetch,
    rows.some(({ state }) => state === 'finding' || state === 'erasing'),
  )
  return (
    <>
      <Loaded query={erasures}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No erasures" action={begin}>
              When an end user asks to be forgotten, begin here with the name that your application sends for them.
            </EmptyState>
          ) : (
            <DataTable
              label="Erasures"
              columns={columns}
              rows={data}
              rowKey={({ id }) => id}
              onOpen={({ id }) => onOpen(id)}
            />
          )
        }
      </Loaded>
      <SidePanel title={open === null ? '' : whomText(open)} opened={open !== null} onClose={() => onOpen(null)}>
        {open !== null && <ErasureDetails erasure={open} />}
      </SidePanel>
    </>
  )
}

const columns: readonly Column<PersonErasure>[] = [
  { id: 'at', header: 'Requested', cell: ({ requested_at: at }) => <TimeText at={at} />, width: 130 },
  { id: 'whom', header: 'Of whom', cell: whomText, isFixed: true },
  {
    id: 'state',
    header: 'State',
    cell: ({ state }) => <StateLabel state={stateWords[state].mark}>{stateWords[state].word}</StateLabel>,
  },
  { id: 'found', header: 'Found', isNumber: true, cell: ({ found }) => totalOf(found), onPhone: false },
  { id: 'erased', header: 'Erased', isNumber: true, cell: ({ erased }) => totalOf(erased) },
]
