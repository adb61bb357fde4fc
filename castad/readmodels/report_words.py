"""The words of an hour's report, in English and Korean. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """Headings, labels, and the name of every figure that may be unusual."""

    html_language: str
    title: str
    made_at: str
    stages: str
    stage: str
    count: str
    completed: str
    failed: str
    failure_rate: str
    retries: str
    seconds: str
    p50: str
    p95: str
    longest: str
    cost: str
    codes: str
    code: str
    unusual: str
    value: str
    usual: str
    usual_range: str
    nothing: str

    @property
    def figures(self) -> Mapping[str, str]:
        """The names of the figures that may be unusual."""
        names = ("count", "failure_rate", "retries", "p50", "p95", "cost")
        return {name: getattr(self, name) for name in names}


ENGLISH = Words(
    html_language="en",
    title="Report of {date}, {begin}:00 to {end}:00 UTC",
    made_at="made at {at}",
    stages="Stages",
    stage="Stage",
    count="Ended",
    completed="Completed",
    failed="Failed",
    failure_rate="Failure rate",
    retries="Retries",
    seconds="Seconds per completed stage",
    p50="Half within",
    p95="95 % within",
    longest="Longest",
    cost="Cost",
    codes="Failures by code",
    code="Code",
    unusual="Unusual, beside the same hour of the last seven days",
    value="This hour",
    usual="Usual",
    usual_range="{usual} ± {margin} ({days} days)",
    nothing="None",
)

KOREAN = Words(
    html_language="ko",
    title="{date} {begin}시~{end}시 보고서 (UTC)",
    made_at="작성 {at}",
    stages="단계",
    stage="단계",
    count="종료",
    completed="완료",
    failed="실패",
    failure_rate="실패율",
    retries="재시도",
    seconds="완료된 단계의 소요 시간(초)",
    p50="중앙값",
    p95="95 %",
    longest="최대",
    cost="비용",
    codes="오류 코드별 실패",
    code="코드",
    unusual="지난 7일 같은 시간대와 다른 점",
    value="이번 시간",
    usual="평소",
    usual_range="{usual} ± {margin} ({days}일)",
    nothing="없음",
)
