import pg from 'pg'
import { ledgerStatements as S, planSettings } from '../src/store/ledger-statements.ts'
import { randomUUID } from 'node:crypto'
const url = 'postgres://postgres:postgres@127.0.0.1:55432/ledger_dev2'
const mk = async () => { const c = new pg.Client(url); await c.connect(); await c.query(planSettings); return c }
const ws = randomUUID()
const cs = await Promise.all(Array.from({length: 8}, mk))
await cs[0]!.query(`insert into workspace values ($1::uuid,$1::text,'x',now())`, [ws])
await cs[0]!.query(`insert into wallet(workspace_id,balance) values ($1,3500)`, [ws])
const text = S.hold.replace('balance - held AS available','balance - held AS available, version AS lv').replace('WHERE w.workspace_id = total.wallet_id\n)','WHERE w.workspace_id = total.wallet_id RETURNING w.version AS nv, w.held AS nheld\n)').replace('AS outcome\n','AS outcome, (SELECT lv FROM locked) AS lv, (SELECT available FROM locked) AS av, (SELECT nv FROM reserved) AS nv, (SELECT nheld FROM reserved) AS nheld, (SELECT max(wanted) FROM fresh) AS wanted\n')
const hold = (c: pg.Client, id = randomUUID()) => c.query({ name: 'h', text, values: [[id],[ws],[1000],['c'],['m'],['1'],ws,1000] }).then(r => ({ id, ...r.rows[0] }))
const close = (c: pg.Client, id: string) => c.query({ name: 'c', text: S.close, values: [[id],[ws],[0],['voided']] })
let n = 0, bad = 0
const end = Date.now() + 3000
await Promise.all(cs.map(async c => { while (Date.now() < end) { const r = await hold(c); if (r.outcome === 'held') { n++; if (Number(r.nv) !== Number(r.lv) + 1 || Number(r.nheld) > 3500) { if (bad++ < 6) console.log(r) } await close(c, r.id) } } }))
console.log({ n, bad })
await Promise.all(cs.map(c => c.end()))
