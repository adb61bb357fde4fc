"""The words by which those who sell food tell it. See `trade_words` for their marks and their order."""

FOOD = {
    "snack": (
        "분식 분식점 호떡 떡볶이 김밥 튀김 라볶이 핫도그 토스트 만두 붕어빵 순대 "
        "tteokbokki gimbap kimbap toast dumpling dumplings snacks"
    ),
    "chicken": "치킨 통닭 닭강정 피자 버거 햄버거 chicken pizza pizzeria burger burgers fries fried_chicken",
    "seafood": (
        "횟집 물고기 꽃게탕 게장 생선회 활어 회센터 수산 초밥 스시 조개 해물 해산물 대게 꽃게 장어 모듬회 "
        "물회 생선구이 sushi seafood fish oyster oysters crab sashimi"
    ),
    "butcher": "정육점 정육 축산 축산물 정육코너 한우직판 butcher butchers butchery meat_shop meat_market",
    "grill": (
        "고기 고깃집 갈비 삼겹살 숯불 한우 곱창 막창 정육식당 돼지 구이 족발 보쌈 "
        "bbq barbecue grill steak steakhouse ribs smokehouse"
    ),
    "soup": (
        "국밥 순대국 해장국 설렁탕 곰탕 순댓국 감자탕 삼계탕 칼국수 국수 냉면 라멘 짬뽕 추어탕 찌개 면옥 쌀국수 "
        "soup ramen noodle noodles pho broth udon"
    ),
    "ricecake": (
        "떡집 떡방 떡 떡공방 떡카페 떡케이크 시루떡 인절미 한과 방앗간 "
        "ricecake ricecakes rice_cake rice_cakes tteok"
    ),
    "bakery": (
        "빵집 빵가게 빵공장 빵굽 빵 베이커리 제과 제과점 케이크 디저트 마카롱 쿠키 도넛 베이글 "
        "bakery bakehouse bread sourdough cake cakes wedding_cake wedding_cakes pastry patisserie donut "
        "donuts doughnuts bagel bagels cookies"
    ),
    "cafe": (
        "카페 커피 로스터스 로스터리 다방 찻집 에스프레소 라떼 빙수 아이스크림 "
        "cafe café coffee roaster roasters roastery espresso tea teahouse latte"
    ),
    "banchan": (
        "반찬! 반찬가게 수제반찬 도시락 도시락집 밑반찬? 김치가게 "
        "banchan lunchbox lunchboxes lunch_box lunch_boxes side_dishes bento"
    ),
    "restaurant": (
        "식당? 밥집? 한식? 한정식? 레스토랑? 파스타? 비스트로? 키친? 가정식? 백반? 돈까스? 돈가스? 스테이크? "
        "중국집? 중화요리? 뷔페? 덮밥? 비빔밥? 쌈밥? "
        "restaurant? bistro? kitchen? diner? pasta? trattoria? eatery? taqueria? tacos? curry? brunch? food?"
    ),
}
