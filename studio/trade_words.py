"""The words by which a business tells its trade.

A word that ends in "?" decides only where no other does, one that ends in "!" counts in a name only, and one
that ends in "." only where the Korean word ends, but for its particle. "_" stands for a blank.
"""

from studio.trade_words_food import FOOD

# The more particular trades come first: of words that are equally long the first one decides.
WORDS = {
    "pet": (
        "애견 애묘 반려 펫샵 펫호텔 애견미용 강아지 고양이 동물병원 동물의료센터 수족관 댕댕이 멍멍이 "
        "pet pets dog dogs puppy cat cats paw paws vet veterinary groomer grooming pet_salon "
        "dog_daycare doggy_daycare pet_hotel animal_hospital vet_hospital vet_clinic "
        "애견카페 강아지카페 고양이카페 cat_cafe dog_cafe pet_cafe"
    ),
    "funeral": (
        "장례 장례식장 장례문화원 상조. 추모공원 추모관 추모원 납골당 납골 봉안당 수목장 장의사 화장장 영안실 "
        "반려동물장례 동물장례 반려견장례 펫장례 pet_funeral pet_funerals pet_cremation pet_cremations "
        "funeral funerals mortuary crematorium crematory cremation cremations cemetery burial burials "
        "undertaker undertakers funeral_home memorial? memorials?"
    ),
    "counseling": (
        "심리상담 심리상담카페 상담센터 상담소 심리센터 정신건강의학과 정신건강 정신과 마음상담 부부상담 "
        "심리치료 마음건강 "
        "counseling counselling counselor counsellor therapist therapists psychotherapy psychologist "
        "psychiatry psychiatrist psychiatric mental_health therapy?!"
    ),
    "obgyn": (
        "산부인과 산후조리원 산후조리 조리원 난임 여성병원 여성의원 산모 "
        "obgyn ob-gyn obstetrics gynecology maternity midwife midwives postpartum postnatal fertility"
    ),
    "nursing": (
        "요양원 요양병원 요양센터 요양보호 방문요양 재가복지 재가센터 주간보호 노인복지 실버타운 호스피스 "
        "nursing nursing_home elder_care eldercare senior_care senior_living assisted_living home_care "
        "caregiver caregivers hospice"
    ),
    "dental": "치과 교정치과 임플란트 치아교정 dental dentist dentists dentistry orthodontics teeth_cleaning",
    "pharmacy": "약국 한약국 pharmacy drugstore chemist apothecary",
    "clinic": (
        "병원 의원 한의원 클리닉 피부과 성형외과 내과 정형외과 소아과 안과 이비인후과 비뇨기과 신경외과 "
        "재활의학과 통증의학과 가정의학과 한방 한방병원 도수치료 "
        "clinic hospital doctor doctors physio physiotherapy physical_therapy chiropractic chiropractor "
        "dermatology pediatrics acupuncture"
    ),
    "law": (
        "법률사무소 법률 법무법인 법무사 법무사사무소 변호사 변호사사무소 로펌 합동법률 "
        "law lawyer lawyers attorney attorneys legal solicitor solicitors barrister barristers notary "
        "law_office law_firm"
    ),
    "tax": (
        "세무사 세무사사무소 세무회계 세무법인 세무 회계사 회계법인 회계사무소 절세 "
        "tax taxes accountant accountants accounting bookkeeper bookkeeping cpa tax_office"
    ),
    "realty": (
        "공인중개사 공인중개사사무소 부동산 부동산중개 중개사무소 중개법인 "
        "realty realtor realtors real_estate estate_agent estate_agents letting lettings"
    ),
    "insurance": (
        "보험! 보험설계 보험설계사 보험대리점 재무설계 재무상담 "
        "insurance! insurer insurers insurance_agency financial_planner financial_planning"
    ),
    "cleaning": (
        "청소 입주청소 이사청소 에어컨청소 청소업체 홈클리닝 홈케어 방역 줄눈 "
        "cleaning cleaner! maid maids housekeeping janitorial house_cleaning house_cleaners"
    ),
    "moving": (
        "이삿짐 이삿짐센터 포장이사 이사센터 원룸이사 가정이사 이사짐 이사. 용달. 용달이사 "
        "moving! mover movers removals relocation moving_company van_lines"
    ),
    "plumbing": (
        "누수 누수탐지 배관 하수구 하수구막힘 변기막힘 변기 설비 보일러 싱크대막힘 수도설비 "
        "plumbing plumber plumbers drain drains drainage sewer leak leaks boiler boilers clogged"
    ),
    "repair": (
        "집수리 철물 철물점 열쇠 도어락 수리.? 가전수리 가전제품수리 핸드폰수리 휴대폰수리 아이폰수리 컴퓨터수리 "
        "전파사 만물수리 전기공사 "
        "repair? repairs? fix? handyman handymen hardware! hardware_store locksmith locksmiths keys_cut "
        "phone_repair computer_repair appliance_repair home_repair shoe_repair electrician electricians"
    ),
    "interior": (
        "인테리어!? 실내건축 도배 도배장판 장판 리모델링 샷시 창호 타일? 가구!? 조명!? 커튼? 블라인드 목공소 "
        "붙박이장 싱크공장 interior!? interiors!? remodeling remodelling renovation renovations wallpaper "
        "flooring carpenter carpenters carpentry furniture!? curtains? blinds cabinets house_painting home_decor "
        "kitchen_fitter kitchen_fitters kitchen_fitting fitted_kitchens bathroom_fitter bathroom_fitters"
    ),
    "dance": (
        "댄스 방송댄스 댄스학원 댄스스튜디오 발레 발레학원 발레교습소 무용 무용학원 줌바 스트릿댄스 한국무용 탱고 "
        "dance dances dancing ballet zumba tango choreography dance_studio dance_academy"
    ),
    "music": (
        "피아노!? 피아노학원 피아노교습소 피아노교실 보컬 보컬학원 실용음악 실용음악학원 음악학원 음악교습소 "
        "기타교습 기타학원 기타레슨 통기타 드럼 드럼학원 바이올린 첼로 성악 작곡 "
        "piano!? piano_lessons music!? music_school music_academy music_lessons vocal vocals guitar!? "
        "guitar_lessons drums drum_lessons violin cello singing_lessons"
    ),
    "martial": (
        "태권도 태권도장 합기도 유도관 유도장 유도. 검도 검도관 주짓수 무에타이 특공무술 가라테 쿵푸 택견 "
        "taekwondo tae_kwon_do karate judo hapkido jiujitsu jitsu bjj martial martial_arts dojo dojang "
        "kung_fu aikido muaythai muay_thai kendo"
    ),
    "art": (
        "미술. 미술학원 미술교습소 화실 공방? 목공방 가죽공방 도예 도예공방 도자기 캘리그라피 뜨개 뜨개방 "
        "원데이클래스? 드로잉 민화 art!? arts!? art_school art_studio art_classes pottery ceramics atelier "
        "drawing_classes painting_classes crafts? calligraphy knitting"
    ),
    "kindergarten": (
        "유치원 어린이집 키즈카페 놀이학교 놀이방 놀이학원 실내놀이터 키즈룸 "
        "kindergarten preschool daycare playroom nursery_school kids_cafe indoor_playground child_care "
        "childcare montessori"
    ),
    "studycafe": "스터디카페 독서실 스터디룸 공유서재 study_cafe study_room studyroom study_hall reading_room",
    "academy": (
        "학원? 교습소? 공부방 교실? 과외 키즈? 보습학원 영어학원 수학학원 국어학원 입시학원 논술 코딩 운전학원 "
        "academy? tutoring tutor tutors kids? school? learning_center driving_school"
    ),
    "photo": (
        "사진관 포토 스냅 촬영 사진작가 셀프사진관 웨딩스냅 웨딩촬영 증명사진 "
        "photo photos photography photographer portrait portraits wedding_photos wedding_photography"
    ),
    "wedding": (
        "웨딩 웨딩홀 웨딩드레스 예식장 결혼식장 스드메 돌잔치! 예복 웨딩플래너 "
        "wedding weddings bridal brides wedding_hall wedding_planner"
    ),
    "nail": "네일 네일샵 네일아트 nail nails manicure nail_salon nail_bar nail_art",
    "beauty": (
        "피부 에스테틱 왁싱 뷰티 속눈썹 메이크업 마사지 태닝 "
        "beauty skin skincare lash lashes waxing spa massage makeup facial facials beauty_salon"
    ),
    "hair": (
        "미용실 헤어 헤어샵 헤어살롱 이발 이발소 바버 바버샵 미장원 커트 "
        "hair salon barber barbershop haircut haircuts hairdresser hair_salon"
    ),
    "yoga": "요가 필라테스 명상 yoga pilates barre meditation",
    "golf": "골프 스크린골프 골프연습장 골프장 골프아카데미 파크골프 golf screen_golf driving_range golf_academy",
    "swim": (
        "수영장? 수영교실 어린이수영 생존수영 수영강습 수영학원 스포츠센터 아쿠아로빅 "
        "swim swimming aquatics swim_school swimming_pool? sports_center"
    ),
    "gym": (
        "헬스 피트니스 휘트니스 크로스핏 복싱 체육관? 클라이밍 헬스장 피티샵 "
        "gym fitness crossfit boxing climbing workout workouts"
    ),
    "flower": (
        "꽃집 꽃다발 꽃바구니 꽃배달 꽃가게 꽃 플라워 화원 플로리스트 식물 웨딩부케 "
        "flower flowers florist florists blooms bouquet bouquets garden_center plant_nursery "
        "wedding_flowers"
    ),
    "optician": "안경 안경점 안경원 콘택트렌즈 optician opticians optical eyewear eyeglasses optometrist",
    "books": (
        "서점 책방 북카페 북스 문고 문구 문방구 헌책 중고책 그림책방 "
        "book books bookshop bookstore book_cafe stationery stationer"
    ),
    "stay": (
        "스테이 펜션 게스트하우스 호텔 모텔 민박 숙소 리조트 캠핑 글램핑 여관 독채 산장 풀빌라 "
        "stay hotel pension guesthouse guest_house hostel inn lodge motel resort cottage glamping"
    ),
    "carwash": (
        "세차. 세차장 손세차 출장세차 셀프세차 셀프세차장 광택 실내크리닝 유리막코팅 썬팅 "
        "carwash car_wash detailing auto_detailing hand_wash"
    ),
    "car": (
        "카센터 카센타 정비 공업사 타이어 자동차 자동차정비 모터스 바이크? 렌터카 중고차 오토바이 스쿠터 "
        "car cars auto garage motors tire tires tyres mechanic mechanics car_repair auto_repair auto_body "
        "body_shop motorcycle motorcycles motorbike motorbikes motor_bike dirt_bike dirt_bikes scooters!"
    ),
    "bike": (
        "자전거 전기자전거 산악자전거 자전거수리 바이크샵 로드바이크 미니벨로 픽시 "
        "bike bikes bicycle bicycles cycle! cycles! cycling! bike_shop bike_repair bicycle_repair"
    ),
    "farm": (
        "농장 농원 과수원 체험농장 주말농장 딸기체험 목장 양봉 팜스테이 "
        "farm farms orchard orchards ranch farmstead berry_picking"
    ),
    "karaoke": "노래방 코인노래방 노래연습장 karaoke noraebang singing_rooms",
    "pcbang": (
        "pc방 피시방 피씨방 pc카페 게임! 오락실 보드게임 보드게임카페 만화카페 방탈출 방탈출카페 e스포츠 이스포츠 "
        "pcbang pc_bang gaming game! games! esports arcade! board_game_cafe escape_room internet_cafe"
    ),
    "laundry": (
        "세탁소 세탁 빨래방 코인빨래방 셀프빨래방 드라이클리닝 운동화세탁 이불세탁 수선집 옷수선 "
        "laundry laundromat launderette dry_cleaning dry_cleaners dry_cleaner cleaners! alterations"
    ),
    "bathhouse": (
        "찜질방 사우나 불가마 목욕탕 한증막 대중탕 온천!? 스파랜드 sauna saunas bathhouse jjimjilbang hot_spring "
        "hot_springs onsen public_bath"
    ),
    "bar": (
        "포차 호프 lp바 재즈바 이자카야 주점 펍 맥주 와인 와인바 칵테일 위스키 술집 막걸리 "
        "bar pub brewery taproom wine cocktail cocktails beer beers whisky whiskey tavern"
    ),
    **FOOD,
    "faith": (
        "교회!? 성당!? 사찰!? 암자!? 선원!? 예배? 미사? 법회? 기도원? 템플스테이? "
        "church!? cathedral!? parish!? chapel!? monastery!? synagogue!? mosque!? temple!?"
    ),
    "jewelry": (
        "금은방 귀금속 주얼리 쥬얼리 보석.? 시계.? 예물 순금 다이아 "
        "jewelry jewellery jeweler jewelers jeweller jewellers diamonds watches"
    ),
    "clothes": (
        "옷가게 편집샵 한복 의류 옷집 여성복 남성복 아동복 맞춤양복 맞춤정장 양장점 패션? 빈티지샵 "
        "clothes clothing boutique fashion? apparel hanbok tailor tailors dresses menswear womenswear"
    ),
    "phone": (
        "휴대폰 핸드폰 휴대폰매장 휴대폰성지 알뜰폰 폰마트 통신!? 스마트폰 "
        "phones cellphone cellphones smartphone smartphones mobile! phone! cell_phone cell_phones"
    ),
    "fruit": (
        "과일? 과일가게 청과 과일바구니 청과물 fruit? fruits? fruit_shop fruit_stand greengrocer greengrocers"
    ),
    "convenience": (
        "편의점? 슈퍼? 마트? 슈퍼마켓? 할인마트? 식자재마트? "
        "convenience? supermarket? minimart? mini_mart? grocery? grocer? groceries? mart?"
    ),
    "market": (
        "시장? 상회? 상점? 소품샵? 잡화? 잡화점? 만물상? 가게? market? shop? store? goods? gifts? deli?"
    ),
}
