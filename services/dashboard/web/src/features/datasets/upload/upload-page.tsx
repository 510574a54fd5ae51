import { Button, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import type { UploadFormat } from '@ratchet/contracts/dataset-format'
import { createDataset, type DatasetCuration, DatasetName, listDatasets } from '@ratchet/contracts/datasets'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { AboveList } from '../../../kit/above.tsx'
import { bytesText, countOf } from '../../../kit/numbers.ts'
import { Card, Column, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { maxUploadBytes, type ReadExamples, readExamples } from './read-examples.ts'

const route = getRouteApi('/w/$slug/datasets/upload')

/** A dataset from a file. It is read and checked here, so that a wrong line is named before anything is sent. */
export function UploadPage(): ReactNode {
  const { slug } = route.useParams()
  const [made, setMade] = useState<DatasetCuration | null>(null)
  return (
    <Page
      title="Upload a dataset"
      lead="A file with one example per line, as trainers take them. Secrets are replaced before it is stored."
      above={<AboveList of="datasets" />}
    >
      <Column>{made === null ? <UploadForm onMade={setMade} /> : <Uploaded made={made} slug={slug} />}</Column>
    </Page>
  )
}

function UploadForm({ onMade }: { readonly onMade: (made: DatasetCuration) => void }): ReactNode {
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [name, setName] = useState('')
  const [file, setFile] = useState<File>()
  const [format, setFormat] = useState<UploadFormat>('chat')
  const [read, setRead] = useState<ReadExamples | null>(null)
  const act = useAct(createDataset, { changes: [listDatasets], onDone: onMade })
  const choose = async (chosen: File | undefined, as: UploadFormat) => {
    setFile(chosen)
    setFormat(as)
    if (chosen === undefined) return setRead(null)
    if (name === '') setName(chosen.name.replace(/\.[^.]*$/, '').slice(0, 200))
    setRead(await readFile(chosen, as))
  }
  const examples = read?.kind === 'read' ? read.examples : null
  const mayUpload = reason === null && examples !== null && DatasetName.safeParse(name).success
  return (
    <Card>
      <Stack gap={14} align="flex-start">
        <label style={{ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', gap: 4, maxWidth: '100%' }}>
          <Text component="span" fw={500}>
            File
          </Text>
          <input
            type="file"
            style={{ maxWidth: '100%' }}
            accept=".jsonl,application/jsonl,application/x-ndjson,text/plain"
            disabled={reason !== null}
            onChange={({ currentTarget }) => void choose(currentTarget.files?.[0], format)}
          />
          <Text component="span" c="dimmed" size="sm">
            JSON lines, at most {bytesText(maxUploadBytes)}. The API takes up to 512 MB.
          </Text>
        </label>
        <div>
          <Text fw={500}>Each line is</Text>
          <SegmentedControl
            aria-label="Each line is"
            disabled={reason !== null}
            data={[
              { value: 'chat', label: 'an example with its reply' },
              { value: 'prompts', label: 'a prompt' },
            ]}
            value={format}
            onChange={(chosen) => void choose(file, chosen as UploadFormat)}
          />
        </div>
        {read?.kind === 'invalid' && <Notice state="wrong">{read.message}</Notice>}
        {examples && <Notice state="proven">{countOf(examples.length, 'example')} read.</Notice>}
        <TextInput
          label="Name"
          required
          maxLength={200}
          w="min(420px, 100%)"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {act.error && <ErrorState error={act.error} />}
        <NotPermitted reason={reason}>
          {(disabled) => (
            <Button
              disabled={disabled || !mayUpload}
              loading={act.isPending}
              onClick={() => examples && act.mutate({ body: { name, format, examples: [...examples] } })}
            >
              Upload
            </Button>
          )}
        </NotPermitted>
      </Stack>
    </Card>
  )
}

async function readFile(file: File, format: UploadFormat): Promise<ReadExamples> {
  if (file.size <= maxUploadBytes) return readExamples(await file.text(), format)
  const message = `The file has ${bytesText(file.size)}, and this page takes ${bytesText(maxUploadBytes)}. Use the API.`
  return { kind: 'invalid', message }
}

function Uploaded({ made, slug }: { readonly made: DatasetCuration; readonly slug: string }): ReactNode {
  const { dataset, redaction } = made
  if (dataset === null) return null
  return (
    <Card title={`${dataset.name} is stored`}>
      <Stack gap={12}>
        <Text>{countOf(dataset.example_count, 'example')}.</Text>
        <Notice state={redaction.count === 0 ? 'proven' : 'borderline'}>
          {redaction.count === 0
            ? 'No secret was found.'
            : `${countOf(redaction.count, 'secret')} replaced before it was stored: ${redaction.kinds.join(', ')}.`}
        </Notice>
        <Link to="/w/$slug/datasets/$id" params={{ slug, id: dataset.id }}>
          Open the dataset
        </Link>
      </Stack>
    </Card>
  )
}
