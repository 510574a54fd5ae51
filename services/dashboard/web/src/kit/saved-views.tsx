import { Button, Menu, Modal, Stack, TextInput } from '@mantine/core'
import { listViews, type SavedView, writeViews } from '@ratchet/contracts/dashboard/views'
import { type ReactNode, useState } from 'react'
import { useAct } from '../api/use-act.ts'
import { useEndpoint } from '../api/use-endpoint.ts'
import { Icon } from './icon.tsx'
import { ErrorState } from './states/error-state.tsx'

type Search = Readonly<Record<string, string | undefined>>

interface SavedViewsProps {
  /** The page that the views belong to, such as `logs`. */
  readonly page: string
  /** The filters to save. */
  readonly search: Search
  readonly onChoose: (search: Search) => void
}

/** Filters with a name, which a person saved in the workspace. */
export function SavedViews({ page, search, onChoose }: SavedViewsProps): ReactNode {
  const views = useEndpoint(listViews).data?.data ?? []
  const [saves, setSaves] = useState(false)
  const act = useAct(writeViews, { changes: [listViews], onDone: () => setSaves(false) })
  const own = views.filter((view) => view.page === page)
  const isEmpty = Object.values(search).every((value) => value === undefined)
  const write = (data: SavedView[]) => act.mutate({ body: { data } })
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<Icon name="down" size={12} />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {own.length === 0 && <Menu.Label>Filters that you save are listed here.</Menu.Label>}
          {own.map((view) => (
            <Menu.Item key={view.name} onClick={() => onChoose(textsOf(view.search))}>
              {view.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={isEmpty} onClick={() => setSaves(true)}>
            Save these filters
          </Menu.Item>
          {own.map((view) => (
            <Menu.Item key={view.name} onClick={() => write(views.filter((each) => each !== view))}>
              Remove {view.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={saves} onClose={() => setSaves(false)} title="Save these filters">
        <NameForm
          isRunning={act.isPending}
          error={act.error}
          onName={(name) => {
            const others = views.filter((view) => view.page !== page || view.name !== name)
            write([...others, { page, name, search: textsOf(search) }])
          }}
        />
      </Modal>
    </>
  )
}

interface NameFormProps {
  readonly onName: (name: string) => void
  readonly isRunning: boolean
  readonly error: unknown
}

function NameForm({ onName, isRunning, error }: NameFormProps): ReactNode {
  const [name, setName] = useState('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onName(name.trim())
      }}
    >
      <Stack gap={12}>
        <TextInput
          label="Name"
          data-autofocus
          maxLength={60}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {error !== null && <ErrorState error={error} />}
        <Button type="submit" disabled={name.trim() === ''} loading={isRunning}>
          Save
        </Button>
      </Stack>
    </form>
  )
}

function textsOf(search: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return Object.fromEntries(entries)
}
