import pg from 'pg'
import { randomUUID } from 'node:crypto'
const url = process.argv[3] ?? 'postgres://postgres:postgres@127.0.0.1:55432/ledger_dev'
const mk = async () => { const c = new pg.Client(url); await c.connect(); return c }
const ws = randomUUID()
const cs = await Promise.all(Array.from({length: 8}, mk))
await cs[0]!.query(`create table if not exists w2(id uuid primary key, version bigint) with (fillfactor=50)`)
await cs[0]!.query(`insert into w2 values ($1,0)`, [ws])
const T: Record<string,string> = {
 a: `with l as materialized (select id, version v from w2 where id=$1 for no key update), u as (update w2 w set version=w.version+1 from l where w.id=l.id returning w.version nv) select l.v, u.nv from l, u`,
 b: `with l as materialized (select id, version v from w2 where id=$1 for no key update), u as (update w2 w set version=w.version+1 from (select id from l group by 1) l where w.id=l.id returning w.version nv) select l.v, u.nv from l, u`,
 c: `with l as materialized (select id, version v from w2 where id=$1 for no key update), z as (select count(*) from l), u as (update w2 w set version=w.version+1 from z where w.id=$1 returning w.version nv) select l.v, u.nv from l, u`,
}
for (const k of Object.keys(T)) {
let ok = 0, bad = 0; const ex: any[] = []
const end = Date.now() + 2000
await Promise.all(cs.map(async c => { while (Date.now() < end) { const r = await c.query({ name: k, text: T[k]!, values: [ws] }); const row = r.rows[0]; if (row && BigInt(row.nv) === BigInt(row.v) + 1n) ok++; else { bad++; if (ex.length < 2) ex.push(row) } } }))
console.log(k, { ok, bad }, ex)
}
await Promise.all(cs.map(c => c.end()))
