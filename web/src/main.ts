// The page: a report, or the live view when the server that sends it says so.
import type { Live, Report } from './data';
import { LivePage } from './live';
import { ReportPage } from './report';
import { expose } from './expose';

const data = JSON.parse(document.getElementById('data')!.textContent || 'null') as Report | Live | null;

function fail(text: string): void {
  document.getElementById('app')!.textContent = text;
}

try {
  if (data?.tendril === 'report') expose(new ReportPage(data));
  else if (data?.tendril === 'live') expose(new LivePage(data));
  else fail('This page has no data.');
} catch (e) {
  fail(`This report cannot be shown: ${e instanceof Error ? e.message : String(e)}`);
  throw e;
}
